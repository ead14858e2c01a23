import { invariant } from "@holdfast/core";
import { boundaries } from "@holdfast/store/sqlite";
import { describe, expect, test } from "vitest";
import { breakageControls, seesBreakage } from "./breakage-control.ts";
import {
  canWatchFileCalls,
  fileCallsNotTried,
  mustTryFileCalls,
  tryFileCalls,
} from "./call-matrix.ts";
import type { BoundaryCall } from "./child-process.ts";
import { everyTwentieth, outsideKills } from "./crash-run.ts";
import type { PointReport } from "./kill-point.ts";
import { choosePoints, findUnreached, recordBoundaries, tryAll, tryPoints } from "./matrix.ts";
import { countSyncs, findUnsynced } from "./sync-count.ts";
import type { Breakage } from "./witness.ts";

// The reduced matrix; `npm run crash` dies at every boundary there is.

/** Known before the tests are named, so that a name promises only what is tried. */
const callsAreWatched = await canWatchFileCalls();

const quietly = () => {};
/** Takes 20 s on two free cores; other tests may be using them. */
const busyMachineMs = 300_000;

function problemsOf(reports: readonly PointReport[]): string[] {
  return reports.flatMap(({ name, problems }) => problems.map((problem) => `${name}: ${problem}`));
}

/** Every boundary once, by turns where it first comes and in the midst of its later ones. */
function oneOfEach(points: readonly BoundaryCall[]): readonly BoundaryCall[] {
  const boundaries = [...new Set(points.map(({ boundary }) => boundary))];
  return boundaries.flatMap((boundary, index) => {
    const calls = points.filter((point) => point.boundary === boundary);
    return calls.slice(index % 2 === 0 ? 0 : -1).slice(0, 1);
  });
}

describe("a process killed at any write boundary", () => {
  test(
    "[R134] leaves all it acknowledged, nothing by halves, and a successor that repeats nothing",
    async () => {
      const passed = await recordBoundaries();
      expect(findUnreached(passed)).toEqual([]);
      const reports = await tryPoints(oneOfEach(choosePoints(passed)), quietly);
      expect(problemsOf(reports)).toEqual([]);
      const diedAt = new Set(reports.map(({ end }) => (end.kind === "killed" ? end.at : null)));
      expect([...diedAt].sort()).toEqual([...boundaries].sort());
    },
    busyMachineMs,
  );

  if (callsAreWatched) {
    test("leaves no less when it dies in the midst of a file call that SQLite makes", async () => {
      const reports = await tryFileCalls(quietly, everyTwentieth);
      invariant(reports && reports.length > 1, "calls can be watched, so deaths were tried");
      expect(problemsOf(reports)).toEqual([]);
      const killed = reports.filter(({ end }) => end.kind === "killed");
      expect(killed.length).toBeGreaterThanOrEqual(reports.length - 1);
    });
  } else {
    test(`is only known for deaths between file calls (${fileCallsNotTried})`, () => {
      console.warn(`crash: ${fileCallsNotTried}`);
      expect(mustTryFileCalls(), "CI is set, and CI tries all deaths: install cc").toBe(false);
    });
  }

  test("leaves no less when it is killed from outside, twice in a row", async () => {
    expect(problemsOf(await tryAll(outsideKills({ quick: true }), quietly))).toEqual([]);
  });

  test.each(Object.keys(breakageControls) as Breakage[])(
    "would be caught leaving less by a store that is broken on purpose: %s",
    async (breakage) => {
      expect(await seesBreakage(breakage)).toBe(true);
    },
  );
});

describe("every acknowledged group is synced", () => {
  const together = 64;

  test("at least once each, and once for many changes that come together", async () => {
    const counted = await countSyncs({ syncing: "full", rounds: 3, together });
    expect(findUnsynced(counted, together)).toEqual([]);
  });

  test("and the count sees it when it is not", async () => {
    const counted = await countSyncs({ syncing: "off", rounds: 3, together });
    const groupCount = counted.rounds.length + 1;
    expect(findUnsynced(counted, together).length).toBeGreaterThan(groupCount / 2);
  });
});
