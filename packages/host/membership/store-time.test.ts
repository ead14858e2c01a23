import fc from "fast-check";
import { expect, test } from "vitest";
import { StoreTime } from "./store-time.ts";

test("nobody can tell when an instant comes before the store has shown its clock", () => {
  const storeTime = new StoreTime();
  expect(storeTime.msUntil(5_000, 0)).toBeNull();
  expect(storeTime.isFresh(0)).toBe(false);
  storeTime.sawPast(1_000_000, 50);
  expect(storeTime.msUntil(1_000_000 + 70, 50)).toBe(70);
  expect(storeTime.msUntil(1_000_000 + 70, 90)).toBe(30);
  expect(storeTime.msUntil(1_000_000 + 70, 500)).toBe(0);
  storeTime.forget();
  expect(storeTime.msUntil(1_000_000 + 70, 50)).toBeNull();
});

test("what was learnt long ago gives way to what is learnt now", () => {
  const storeTime = new StoreTime();
  storeTime.sawPast(10_000, 0);
  expect(storeTime.isFresh(599_999)).toBe(true);
  expect(storeTime.isFresh(600_000)).toBe(false);
  storeTime.sawPast(600_000, 600_000);
  expect(storeTime.msUntil(600_100, 600_000)).toBe(100);
});

/** Truthful news: at a host time, the store named an instant that had come so long before. */
const news = fc.array(fc.record({ passedMs: fc.nat(1_000), overdueMs: fc.nat(100_000) }), {
  minLength: 1,
});

test("never says that an instant has come which has not, wherever the store's clock stands", () => {
  fc.assert(
    fc.property(fc.integer(), news, fc.nat(100_000), (aheadMs, heard, inMs) => {
      const storeTime = new StoreTime();
      let now = 0;
      for (const { passedMs, overdueMs } of heard) {
        now += passedMs;
        storeTime.sawPast(now + aheadMs - overdueMs, now);
      }
      expect(storeTime.msUntil(now + aheadMs + inMs, now)).toBeGreaterThanOrEqual(inMs);
    }),
  );
});

test("is exact as soon as one piece of news was fresh", () => {
  fc.assert(
    fc.property(fc.integer(), news, fc.nat(100_000), (aheadMs, heard, inMs) => {
      const storeTime = new StoreTime();
      let now = 0;
      storeTime.sawPast(aheadMs, now);
      for (const { passedMs, overdueMs } of heard) {
        now += passedMs;
        if (!storeTime.isFresh(now)) return;
        storeTime.sawPast(now + aheadMs - overdueMs, now);
      }
      expect(storeTime.msUntil(now + aheadMs + inMs, now)).toBe(inMs);
    }),
  );
});
