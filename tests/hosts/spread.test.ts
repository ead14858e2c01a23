import { slackOf } from "@holdfast/host";
import { describe, expect, test } from "vitest";
import { databaseInTest } from "./database-in-test.ts";
import { joinAndLeave, replaceKilled } from "./spread.ts";

/** Takes 20 s on two free cores; other tests may be using them. */
const busyMachineMs = 400_000;

describe("three hosts", () => {
  const few = { workflowCount: 30, periodMs: 3_000 };

  /** What one of so many may own when everything has settled. */
  function mostOf(hostCount: number): number {
    const share = few.workflowCount / hostCount;
    return share + slackOf(share);
  }

  test(
    "share the work evenly: one that joins takes its share, one that leaves hands over at once",
    async () => {
      const seen = await joinAndLeave({ ...few, url: await databaseInTest() });
      expect(Math.max(...seen.ofTwo)).toBeLessThanOrEqual(mostOf(2));
      expect(Math.max(...seen.ofThree)).toBeLessThanOrEqual(mostOf(3));
      expect(Math.min(...seen.ofThree)).toBeGreaterThanOrEqual(few.workflowCount - 2 * mostOf(3));
      expect(Math.max(...seen.afterLeaving)).toBeLessThanOrEqual(mostOf(2));
      expect(seen.handedOverCount).toBeGreaterThan(0);
      expect(seen.leaseLeft).toBeGreaterThan(0);
    },
    busyMachineMs,
  );

  test(
    "take over what a killed one owned when its lease has ended, and not before",
    async () => {
      const seen = await replaceKilled({ ...few, url: await databaseInTest(), leaseMs: 2_000 });
      expect(seen.ownedCount).toBeGreaterThan(0);
      expect(seen.afterBelief).toBeGreaterThan(0);
      expect(seen.problems).toEqual([]);
    },
    busyMachineMs,
  );
});
