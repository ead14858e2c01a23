import { Sandbox } from "@holdfast/sandbox";
import { answering } from "@holdfast/sandbox/testing";
import type { BenchContext, Measured } from "../harness/bench.ts";
import { preparePhase, smallScript } from "./bench-script.ts";

const scripts = 1_000;
const bytesMax = 1_073_741_824;

/** Memory of the process with many scripts deployed, each run once. */
export async function measureDeployed({ progress }: BenchContext): Promise<readonly Measured[]> {
  const before = process.memoryUsage.rss();
  const sandbox = await Sandbox.open();
  for (let mark = 0; mark < scripts; mark++) {
    const loaded = await sandbox.load(smallScript(mark));
    if (!loaded.ok) throw new Error(loaded.failure.message);
    await sandbox.run(loaded.script, preparePhase, answering(null));
    if (mark % 100 === 99) progress(`deployed ${mark + 1} scripts`);
  }
  const used = process.memoryUsage.rss() - before;
  await sandbox.close();
  return [
    {
      metric: `memory for ${scripts} scripts`,
      value: Math.round(used / 1_048_576),
      unit: "MiB",
      reference: bytesMax / 1_048_576,
      against: "what is allowed",
      ratio: used / bytesMax,
      must: { atMost: 1 },
    },
  ];
}
