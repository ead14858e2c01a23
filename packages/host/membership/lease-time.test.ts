import fc from "fast-check";
import { expect, test } from "vitest";
import { actUntil, beatEveryMs, retryBeatMs } from "./lease-time.ts";

test("a host may act until a tenth of the lease is left, counted from when it asked", () => {
  expect(actUntil({ askedAt: 1_000, leaseMs: 15_000 })).toBe(14_500);
});

/** One request: when it was asked on the host's clock, how long it was on its way, how fast. */
const requests = fc.record({
  askedAt: fc.double({ min: 0, max: 1e12, noNaN: true }),
  leaseMs: fc.integer({ min: 1_000, max: 600_000 }),
  onTheWayMs: fc.double({ min: 0, max: 1e6, noNaN: true }),
  /** The host's clock against the store's: 5 percent is far more than any clock is off. */
  speed: fc.double({ min: 0.95, max: 1.05, noNaN: true }),
});

test("the host stops before the store gives its workflows away, however long a call takes", () => {
  fc.assert(
    fc.property(requests, ({ askedAt, leaseMs, onTheWayMs, speed }) => {
      // True time is counted from the asking; the store's clock runs with it.
      const storeEndsMs = onTheWayMs + leaseMs;
      const hostEndsMs = (actUntil({ askedAt, leaseMs }) - askedAt) / speed;
      expect(hostEndsMs).toBeLessThan(storeEndsMs);
    }),
  );
});

test("a lease outlives a lost heartbeat, and a failed one is tried again several times", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1_000, max: 600_000 }), (leaseMs) => {
      const until = actUntil({ askedAt: 0, leaseMs });
      expect(2 * beatEveryMs(leaseMs)).toBeLessThan(until);
      const retries = (until - 2 * beatEveryMs(leaseMs)) / retryBeatMs(leaseMs);
      expect(retries).toBeGreaterThan(3);
    }),
  );
});
