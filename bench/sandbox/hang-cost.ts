import { Sandbox } from "@holdfast/sandbox";
import { answering, scriptOf } from "@holdfast/sandbox/testing";
import type { BenchContext, Measured } from "../harness/bench.ts";
import { median, spreadOf } from "../harness/percentile.ts";
import { preparePhase } from "./bench-script.ts";

const runningMsMax = 200;
const overtimeMsMax = 100;

const hanging = {
  "a loop": "for (;;) {}",
  "a built-in function": "('a'.repeat(300_000)).indexOf('a'.repeat(150_000) + 'b');",
};

/** How long after its limit a script that hangs is gone. */
export async function measureHang({ quick, progress }: BenchContext): Promise<readonly Measured[]> {
  const sandbox = await Sandbox.open({ threadsMax: 1, limits: { runningMsMax } });
  const results: Measured[] = [];
  for (const [name, body] of Object.entries(hanging)) {
    const code = scriptOf(`{ consumers: { book: { prepare: () => { ${body} } } } }`);
    const loaded = await sandbox.load(code);
    if (!loaded.ok) throw new Error(loaded.failure.message);
    const overtimes: number[] = [];
    for (let round = 0; round < (quick ? 5 : 15); round++) {
      // A thread of its own is there before the time is taken, as on a host that runs.
      await sandbox.load(code);
      const startedAt = performance.now();
      await sandbox.run(loaded.script, preparePhase, answering(null));
      overtimes.push(Math.max(performance.now() - startedAt - runningMsMax, 0));
      progress(`hanging in ${name}: round ${round + 1}`);
    }
    results.push({
      metric: `time after its limit until ${name} is gone`,
      value: median(overtimes),
      unit: "ms",
      spread: spreadOf(overtimes),
      reference: overtimeMsMax,
      against: "what is allowed",
      ratio: Math.max(...overtimes) / overtimeMsMax,
      must: { atMost: 1 },
    });
  }
  await sandbox.close();
  return results;
}
