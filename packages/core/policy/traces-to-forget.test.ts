import { expect, test } from "vitest";
import { policyDefaults } from "./policy.ts";
import { tracesToForget } from "./traces-to-forget.ts";

const policy = { ...policyDefaults, traceFactsKept: 5_000 };

const rows: readonly (readonly [before: number, after: number, through: number | null])[] = [
  [0, 7, null],
  [993, 1_000, null],
  [4_999, 5_003, null],
  [5_995, 5_999, null],
  [5_998, 6_000, 1_000],
  [5_998, 6_004, 1_000],
  [6_000, 6_004, null],
  [6_004, 6_009, null],
  [6_999, 9_001, 4_000],
];

test.each(rows)(
  "[R35] a change from %d to %d forgets traces up to %j",
  (before, after, through) => {
    expect(tracesToForget(policy, { before, after })).toBe(through);
  },
);
