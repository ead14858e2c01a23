import { Sandbox, sandboxLimitDefaults } from "@holdfast/sandbox";
import { boot, guestCode, Instance, loadEngine, SliceServer } from "@holdfast/sandbox/engine";
import { answering } from "@holdfast/sandbox/testing";
import type { BenchContext, Measured } from "../harness/bench.ts";
import { type Contender, lap, runRounds } from "../harness/rounds.ts";
import { mutatePhase, preparePhase, smallScript } from "./bench-script.ts";

const turns = 100;

/** A small phase in the same thread, through the pool, and with mutate in the same hop. */
export async function measurePhases({
  quick,
  progress,
}: BenchContext): Promise<readonly Measured[]> {
  const sandbox = await Sandbox.open({ threadsMax: 1 });
  try {
    const contenders = [await inThread(), ...(await throughPool(sandbox))];
    const plan = { warmUpCount: 3, roundCount: quick ? 5 : 15, turnCount: 4 };
    const onRound = (round: number, of: number) => progress(`phases: round ${round} of ${of}`);
    const rounds = await runRounds(contenders, { ...plan, onRound });
    return [
      rounds.result("prepare, same thread"),
      rounds.resultAgainst("prepare, through the pool", "prepare, same thread", { atMost: 3 }),
      rounds.result("prepare, then mutate, two hops"),
      rounds.resultAgainst("prepare and mutate, one hop", "prepare, then mutate, two hops", {
        atMost: 1,
      }),
    ];
  } finally {
    await sandbox.close();
  }
}

async function inThread(): Promise<Contender> {
  const limits = sandboxLimitDefaults;
  const engine = loadEngine();
  const instance = new Instance(engine, limits.heapBytesMax);
  const { stackBytesMax } = limits;
  const image = boot(instance, { guestCode: await guestCode(), stackBytesMax });
  const server = new SliceServer({ engine, boot: image, limits });
  const loaded = server.serve({ kind: "load", code: smallScript(1) });
  if (loaded.kind !== "load" || loaded.answer.kind !== "loaded") throw new Error("not loaded");
  const { script } = loaded.answer;
  const request = { kind: "start", script, call: preparePhase, follow: null } as const;
  return {
    metric: "prepare, same thread",
    unit: "µs",
    figure: "µs each",
    measure: () =>
      lap(turns, () => {
        for (let turn = 0; turn < turns; turn++) server.serve(request);
      }),
  };
}

async function throughPool(sandbox: Sandbox): Promise<readonly Contender[]> {
  const loaded = await sandbox.load(smallScript(1));
  if (!loaded.ok) throw new Error(loaded.failure.message);
  const { script } = loaded;
  const options = answering(null);
  const calls = { prepare: preparePhase, mutate: mutatePhase };
  const mutate = { ...mutatePhase, given: { prepared: '{"data":{"sum":1}}' } };
  const each = (metric: string, work: () => Promise<unknown>): Contender => ({
    metric,
    unit: "µs",
    figure: "µs each",
    measure: () =>
      lap(turns, async () => {
        for (let turn = 0; turn < turns; turn++) await work();
      }),
  });
  return [
    each("prepare, through the pool", () => sandbox.run(script, preparePhase, options)),
    each("prepare and mutate, one hop", () => sandbox.runConsumer(script, calls, options)),
    each("prepare, then mutate, two hops", async () => {
      await sandbox.run(script, preparePhase, options);
      await sandbox.run(script, mutate, options);
    }),
  ];
}
