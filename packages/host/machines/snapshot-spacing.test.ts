import type { Hash } from "@holdfast/core";
import { describe, expect, test } from "vitest";
import { recordsBetween } from "./snapshot-spacing.ts";

const last = (bytes: number, partBytes: number) => {
  return { firstSeq: 1, hash: "" as Hash, seq: 1, bytes, partBytes };
};

describe("how many records lie between two snapshots", () => {
  test("[M.K7.7-1] as many as the policy says, where little is written", () => {
    expect(recordsBetween(null, 500)).toBe(500);
    expect(recordsBetween(last(1_000, 30_000), 500)).toBe(500);
  });

  test("[M.K7.7-1] more the more is written, and never so many that opening takes long", () => {
    expect(recordsBetween(last(1_000, 600_000), 500)).toBe(2_000);
    expect(recordsBetween(last(1_000, 600_000_000), 500)).toBe(2_500);
    expect(recordsBetween(last(300_000, 0), 500)).toBe(3_000);
  });
});
