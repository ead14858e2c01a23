import fc from "fast-check";
import { expect, test } from "vitest";
import { countSleep, realClock, realTimers } from "./real-time.ts";

test("time in which the machine slept is counted", () => {
  let [awakeMs, uptimeMs] = [500, 90_000];
  const clock = countSleep(
    () => awakeMs,
    () => uptimeMs,
  );
  expect(clock.monotonicMs()).toBe(500);
  awakeMs += 1_000;
  uptimeMs += 1_000;
  expect(clock.monotonicMs()).toBe(1_500);
  awakeMs += 10;
  uptimeMs += 3_600_010;
  expect(clock.monotonicMs()).toBe(1_510 + 3_600_000);
});

test("never goes back nor runs ahead when the uptime comes in whole seconds", () => {
  const steps = fc.array(fc.double({ min: 0, max: 5_000, noNaN: true }), { minLength: 1 });
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1e6, noNaN: true }), steps, (start, passed) => {
      let now = start;
      const clock = countSleep(
        () => now,
        () => Math.floor(now / 1_000) * 1_000,
      );
      for (const ms of passed) {
        now += ms;
        expect(clock.monotonicMs()).toBe(now);
      }
    }),
  );
});

test("the real clock runs with the real timers, no faster", async () => {
  const before = realClock.monotonicMs();
  await new Promise<void>((resolve) => realTimers.setTimer(5, resolve));
  // Node rounds a timer's milliseconds.
  expect(realClock.monotonicMs() - before).toBeGreaterThanOrEqual(4);
});

test("a timer that was cancelled, or is far away, does not run", async () => {
  const ran: string[] = [];
  const cancelFar = realTimers.setTimer(2 ** 40, () => ran.push("far"));
  const cancel = realTimers.setTimer(0, () => ran.push("cancelled"));
  cancel();
  await new Promise<void>((resolve) => realTimers.setTimer(5, resolve));
  cancelFar();
  expect(ran).toEqual([]);
});
