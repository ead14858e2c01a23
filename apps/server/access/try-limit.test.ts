import { describe, expect, test } from "vitest";
import { TryLimit } from "./try-limit.ts";

function fail(limit: TryLimit, address: string, count: number, now = 0): void {
  for (let tries = 0; tries < count; tries++) limit.failed(address, now);
}

describe("wrong tries", () => {
  test("wait after the twentieth, and one more may be made every three seconds", () => {
    const limit = new TryLimit();
    fail(limit, "10.0.0.1", 19);
    expect(limit.waitMs("10.0.0.1", 0)).toBe(0);
    fail(limit, "10.0.0.1", 1);
    expect(limit.waitMs("10.0.0.1", 0)).toBe(3_000);
    expect(limit.waitMs("10.0.0.1", 3_000)).toBe(0);
    fail(limit, "10.0.0.1", 1, 3_000);
    expect(limit.waitMs("10.0.0.1", 3_000)).toBe(3_000);
    expect(limit.waitMs("10.0.0.2", 0)).toBe(0);
  });

  test("however many there are, they are forgotten within a minute", () => {
    const limit = new TryLimit();
    fail(limit, "10.0.0.1", 100_000);
    expect(limit.waitMs("10.0.0.1", 60_000)).toBe(0);
    fail(limit, "10.0.0.1", 19, 60_000);
    expect(limit.waitMs("10.0.0.1", 60_000)).toBe(0);
  });

  test("of one IPv6 network count together", () => {
    const limit = new TryLimit();
    for (let host = 1; host <= 20; host++) limit.failed(`2001:db8:0:7::${host.toString(16)}`, 0);
    expect(limit.waitMs("2001:db8:0:7:ffff::1", 0)).toBe(3_000);
    expect(limit.waitMs("2001:db8:0:8::1", 0)).toBe(0);
    fail(limit, "::ffff:10.0.0.1", 20);
    expect(limit.waitMs("::ffff:10.0.0.1", 0)).toBe(3_000);
    expect(limit.waitMs("::ffff:10.0.0.2", 0)).toBe(0);
    expect(limit.waitMs("::1", 0)).toBe(0);
  });

  test("from a flood of addresses take no more room than ten thousand", () => {
    const limit = new TryLimit();
    fail(limit, "10.0.0.1", 20);
    for (let number = 0; number < 200_000; number++) {
      limit.failed(`10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`, 0);
      if (number % 1_000 === 0) limit.failed("10.255.0.1", 0);
    }
    expect(limit.addressCount).toBe(10_000);
    // Whoever goes on is not forgotten because others came.
    expect(limit.waitMs("10.255.0.1", 0)).toBeGreaterThan(0);
  });
});
