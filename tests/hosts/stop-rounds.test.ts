import { describe, expect, test } from "vitest";
import { overtake } from "./controls.ts";
import { databaseInTest } from "./database-in-test.ts";
import type { Hook } from "./hooks.ts";
import { StopRounds } from "./stop-rounds.ts";

// A few hooks; `npm run hosts -- stops` stops at every one, with 300 workflows.

/** Takes 20 s on two free cores; other tests may be using them. */
const busyMachineMs = 400_000;

describe("a host that stands still past its lease and goes on", () => {
  const hooks: readonly Hook[] = ["commit sending", "after check", "claim answered"];

  test(
    "[S62] is refused, notices, performs nothing more, and joins anew; no two own at once",
    async () => {
      const url = await databaseInTest();
      const cluster = { url, workflowCount: 60, periodMs: 6_000, leaseMs: 2_000, restEvery: 3 };
      const summary = await StopRounds.run({ cluster, hooks, onProgress: () => {} });
      expect(summary.problems).toEqual([]);
      expect(summary.stopCount).toBeGreaterThanOrEqual(hooks.length);
      expect(summary.takenCount).toBeGreaterThan(0);
      expect(summary.history.refusedCount).toBeGreaterThan(0);
    },
    busyMachineMs,
  );
});

type Scene = Parameters<typeof overtake>[1];
type Played = Awaited<ReturnType<typeof overtake>>;

const playsMax = 5;

/** On a very busy machine the stopped host may have lost its lease before it had to commit. */
async function playUntil(scene: Scene, isShown: (played: Played) => boolean): Promise<Played> {
  for (let plays = 1; ; plays += 1) {
    const played = await overtake(await databaseInTest(), scene);
    if (isShown(played) || plays === playsMax) return played;
  }
}

describe("a host that is overtaken", () => {
  test(
    "has its late commit refused even if nobody has moved the workflow on",
    async () => {
      const scene: Scene = { hook: "before commit", breakage: null };
      const isShown = ({ problems, refusedCount }: Played) =>
        problems.length > 0 || refusedCount > 0;
      const { problems, refusedCount } = await playUntil(scene, isShown);
      expect(problems).toEqual([]);
      expect(refusedCount).toBeGreaterThan(0);
    },
    busyMachineMs,
  );

  test.each([
    ["the store took changes of any owner", "before commit", "ignore-epoch", /was sent after the/],
    ["its clock were slower than the store's", "before step", "slow-clock", /hold it at once/],
  ] as const)(
    "would be caught if %s",
    async (_, hook, breakage, expected) => {
      const isShown = ({ problems }: Played) => expected.test(problems.join("\n"));
      const { problems } = await playUntil({ hook, breakage }, isShown);
      expect(problems.join("\n")).toMatch(expected);
    },
    busyMachineMs,
  );
});
