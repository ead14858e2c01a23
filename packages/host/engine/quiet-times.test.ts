import type { MutationRow } from "@holdfast/core";
import { expect, test } from "vitest";
import { QuietTimes } from "./quiet-times.ts";

const row = (sendCount: number) => ({ mutationId: "m1", sendCount }) as MutationRow;

test("[R68] quiet time begins when somebody first looks, after what may still be sent", () => {
  const times = new QuietTimes();
  const at = (nowMs: number) => times.countMs("w", row(1), { nowMs, busyMs: 100 });
  expect([at(1_000), at(1_099), at(1_100), at(1_150)]).toEqual([0, 0, 0, 50]);
});

test("what is sent again is counted anew, and so is what another workflow sends", () => {
  const times = new QuietTimes();
  const count = (workflow: string, sendCount: number, nowMs: number) =>
    times.countMs(workflow, row(sendCount), { nowMs, busyMs: 0 });
  count("w", 1, 0);
  expect(count("w", 1, 500)).toBe(500);
  expect(count("w", 2, 500)).toBe(0);
  expect(count("v", 1, 500)).toBe(0);
});

test("[R68] an earlier send may still be under way when a later one has ended", async () => {
  const times = new QuietTimes();
  const first = Promise.withResolvers<void>();
  times.waitFor("w", row(1), first.promise);
  const count = (sendCount: number, nowMs: number) =>
    times.countMs("w", row(sendCount), { nowMs, busyMs: 0 });
  expect([count(2, 1_000), count(2, 9_000)]).toEqual([0, 0]);
  first.resolve();
  await first.promise;
  expect([count(2, 10_000), count(2, 10_500)]).toEqual([0, 500]);
});

test("[R68] [R155] who may be sending since before is waited for after a re-send, too", () => {
  const times = new QuietTimes();
  // A host that is gone; then this one sends it again, and knows when its own send has ended.
  times.countMs("w", row(1), { nowMs: 1_000, busyMs: 60_000 });
  const own = (nowMs: number) => times.countMs("w", row(2), { nowMs, busyMs: 0 });
  expect([own(5_000), own(60_900), own(61_300)]).toEqual([0, 0, 300]);
});

test("of very many the oldest are forgotten, and begin anew", () => {
  const times = new QuietTimes();
  for (let index = 0; index <= 10_000; index++) {
    times.countMs(`w-${index}`, row(1), { nowMs: 0, busyMs: 0 });
  }
  expect(times.countMs("w-10000", row(1), { nowMs: 7, busyMs: 0 })).toBe(7);
  expect(times.countMs("w-0", row(1), { nowMs: 7, busyMs: 0 })).toBe(0);
});
