import { sandboxLimitDefaults } from "@holdfast/sandbox";
import {
  boot,
  evaluateScript,
  guestCode,
  Instance,
  loadEngine,
  SliceServer,
} from "@holdfast/sandbox/engine";
import type { BenchContext, Measured } from "../harness/bench.ts";
import { type Contender, lap, runRounds } from "../harness/rounds.ts";
import { longScript, smallScript } from "./bench-script.ts";

const limits = sandboxLimitDefaults;
const longBytes = 314_000;

/** Putting an image back, against making runtime, context and script anew. */
export async function measureIsolates({
  quick,
  progress,
}: BenchContext): Promise<readonly Measured[]> {
  const engine = loadEngine();
  const code = await guestCode();
  const contenders: Contender[] = [];
  for (const [name, script] of [
    ["small script", smallScript(1)],
    [`script of ${longBytes / 1000} KB`, longScript(longBytes)],
  ] as const) {
    contenders.push(...contendersOf(name, { engine, code, script }));
  }
  const plan = { warmUpCount: 2, roundCount: quick ? 5 : 15, turnCount: 4 };
  const onRound = (round: number, of: number) => progress(`isolates: round ${round} of ${of}`);
  const rounds = await runRounds(contenders, { ...plan, onRound });
  return [
    rounds.result("new isolate, small script"),
    rounds.resultAgainst("image put back, small script", "new isolate, small script", {
      atMost: 0.1,
    }),
    rounds.result(`new isolate, script of ${longBytes / 1000} KB`),
    rounds.resultAgainst(
      `image put back, script of ${longBytes / 1000} KB`,
      `new isolate, script of ${longBytes / 1000} KB`,
      { atMost: 0.1 },
    ),
  ];
}

type Parts = {
  readonly engine: ReturnType<typeof loadEngine>;
  readonly code: string;
  readonly script: string;
};

function contendersOf(name: string, { engine, code, script }: Parts): readonly Contender[] {
  const instance = new Instance(engine, limits.heapBytesMax);
  const empty = instance.takeImage("shared");
  const options = { guestCode: code, stackBytesMax: limits.stackBytesMax };
  const start = { engine, boot: boot(instance, options), limits };
  const loaded = new SliceServer(start).serve({ kind: "load", code: script });
  if (loaded.kind !== "load" || loaded.answer.kind !== "loaded") throw new Error("not loaded");
  const { image } = loaded.answer.script;
  const common = { unit: "µs", figure: "µs each" } as const;
  return [
    {
      ...common,
      metric: `image put back, ${name}`,
      measure: () =>
        lap(200, () => {
          for (let turn = 0; turn < 200; turn++) instance.putImage(image);
        }),
    },
    {
      ...common,
      metric: `new isolate, ${name}`,
      measure: () =>
        lap(5, () => {
          for (let turn = 0; turn < 5; turn++) {
            instance.putImage(empty);
            const made = boot(instance, options);
            evaluateScript(instance, made, script);
          }
        }),
    },
  ];
}
