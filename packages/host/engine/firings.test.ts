import { describe, expect, test } from "vitest";
import { firingsCountedMax, firingsOnRecordMax, missedFirings, nextFiring } from "./firings.ts";

const minute = 60_000;
const every = (ms: number) => ({
  nextRunAt: (after: number, firing: number) =>
    firing + (Math.floor((after - firing) / ms) + 1) * ms,
});
const fiveMinutes = every(5 * minute);
const due = 1_000 * minute;

const row = (catchUp: "once" | "skip", nextRunAt: number | null = due) =>
  ({ name: "poll", catchUp, nextRunAt }) as const;

describe("[R95] [R96] the next firing of a handler that runs now", () => {
  const rows: readonly (readonly [string, "once" | "skip", number, number])[] = [
    ["in time", "once", 0, 5],
    ["a little late: the grid does not move", "once", 2, 5],
    ["at the time of the next one: that one is worked off too", "once", 5, 10],
    ["long after: all that passed is one", "once", 5_003, 5_005],
    ["in time, skipping", "skip", 0, 5],
    ["long after, skipping: what passed is still to be put on record", "skip", 5_003, 5],
    ["before it is due, at somebody's wish: one interval later", "once", -1, 4],
    ["the same, skipping", "skip", -1, 4],
  ];
  test.each(rows)("%s", (_, catchUp, late, next) => {
    const now = due + late * minute;
    expect(nextFiring(fiveMinutes, row(catchUp), now)).toBe(due + next * minute);
  });

  test("is none without a schedule, whoever asked for the run", () => {
    const none = { nextRunAt: () => null };
    expect(nextFiring(none, row("once", null), due)).toBeNull();
    expect(nextFiring(none, row("once"), due)).toBeNull();
  });
});

describe("[R95] what a handler that skips has missed", () => {
  const missed = (schedule: typeof fiveMinutes, now: number, lateMsMax = minute) =>
    missedFirings(schedule, row("skip"), { now, lateMsMax });
  const times = (now: number) =>
    missed(fiveMinutes, now).map(({ dueAt }) => (dueAt - due) / minute);

  test("is nothing while the firing is in time", () => {
    expect(times(due)).toEqual([]);
    expect(times(due + minute)).toEqual([]);
  });

  test("is the firing that is too late, and each one after it but the last in time", () => {
    expect(times(due + minute + 1)).toEqual([0]);
    expect(times(due + 4 * minute)).toEqual([0]);
    expect(times(due + 5 * minute)).toEqual([0]);
    expect(times(due + 6 * minute + 1)).toEqual([0, 5]);
    const commands = missed(fiveMinutes, due + 12 * minute);
    expect(commands.map(({ dueAt, nextRunAt }) => [dueAt - due, (nextRunAt ?? 0) - due])).toEqual([
      [0, 5 * minute],
      [5 * minute, 10 * minute],
      [10 * minute, 15 * minute],
    ]);
  });

  test("is what the next one has overtaken, however short the interval: nothing piles up", () => {
    const commands = missed(every(1_000), due + 30_500);
    expect(commands).toHaveLength(30);
    expect(commands.at(-1)?.nextRunAt).toBe(due + 30_000);
  });

  test("shares one fact with its count when there is very much", () => {
    const many = missed(every(1_000), due + 500_000, 0);
    expect(many).toHaveLength(1);
    expect(many[0]).toMatchObject({ dueAt: due, firingCount: 500, nextRunAt: due + 500_000 });
    const few = missed(every(1_000), due + firingsOnRecordMax * 1_000);
    expect(few).toHaveLength(firingsOnRecordMax);
  });

  test("is counted no further than anybody wants to know, and ends at a time to come", () => {
    const now = due + 3_650 * 1_440 * minute + 7;
    const [all, ...more] = missed(every(1_000), now);
    expect(more).toEqual([]);
    expect(all).toMatchObject({ dueAt: due, firingCount: firingsCountedMax });
    expect(all?.nextRunAt).toBe(now - 7 + 1_000);
  });
});
