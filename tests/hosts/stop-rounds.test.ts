import { describe, expect, test } from "vitest";
import { overtake } from "./controls.ts";
import { databaseInTest } from "./database-in-test.ts";
import type { Hook } from "./hooks.ts";
import { StopRounds } from "./stop-rounds.ts";

// A few hooks; `npm run hosts -- stops` stops at every one, with 300 workflows.

/** Takes 20 s on two free cores; other tests may be using them. */
const busyMachineMs = 400_000;

describe("a host that stands still past its lease and goes on", () => {
  const hooks: readonly Hook[] = [
    "commit sending",
    "after check",
    "heartbeat answered",
    "claim answered",
  ];

  test(
    "[S62] is refused, notices, performs nothing more, and joins anew; no two own at once",
    async () => {
      const url = await databaseInTest();
      const cluster = { url, workflowCount: 60, periodMs: 6_000, leaseMs: 2_000, restEvery: 4 };
      const summary = await StopRounds.run({ cluster, hooks, onProgress: () => {} });
      expect(summary.problems).toEqual([]);
      expect(summary.stopCount).toBeGreaterThanOrEqual(hooks.length);
      expect(summary.takenCount).toBeGreaterThan(0);
      expect(summary.history.refusedCount).toBeGreaterThan(0);
    },
    busyMachineMs,
  );

  test("has its late commit refused even if nobody has moved the workflow on", async () => {
    const url = await databaseInTest();
    const { problems, refusedCount } = await overtake(url, {
      hook: "before commit",
      breakage: null,
    });
    expect(problems).toEqual([]);
    expect(refusedCount).toBeGreaterThan(0);
  });

  test("would be caught if the store took changes of any owner", async () => {
    const url = await databaseInTest();
    const scene = { hook: "before commit", breakage: "ignore-epoch" } as const;
    const { problems } = await overtake(url, scene);
    expect(problems.join("\n")).toMatch(/was sent after the next owner had claimed/);
  });

  test("would be caught if its clock were slower than the store's", async () => {
    const url = await databaseInTest();
    const { problems } = await overtake(url, { hook: "before step", breakage: "slow-clock" });
    expect(problems.join("\n")).toMatch(/hold it at once/);
  });
});
