import { expect, test } from "vitest";
import { backoffMs } from "./backoff.ts";
import { policyDefaults } from "./policy.ts";

const { transientDelayMs, transientDelayMsMax, jitterShare } = policyDefaults;
const limits = { delayMs: transientDelayMs, delayMsMax: transientDelayMsMax, jitterShare };

const rows: readonly (readonly [tryNo: number, jitter: number, delayMs: number])[] = [
  [1, 0, 10_000],
  [2, 0, 20_000],
  [3, 0, 40_000],
  [6, 0, 320_000],
  [7, 0, 600_000],
  [8, 0, 600_000],
  [5_000, 0, 600_000],
  [1, 0.5, 11_000],
  [1, 0.999, 11_998],
  [7, 0.5, 660_000],
];

test.each(rows)("[R141] try %d with jitter %d waits %d ms", (tryNo, jitter, delayMs) => {
  expect(backoffMs(tryNo, limits, jitter)).toBe(delayMs);
});
