import { expect, test } from "vitest";
import { median, percentile, spreadOf } from "./percentile.ts";

test.each([
  [[7], 0, 7],
  [[7], 1, 7],
  [[1, 2, 3, 4, 5], 0, 1],
  [[1, 2, 3, 4, 5], 0.5, 3],
  [[1, 2, 3, 4, 5], 1, 5],
  [[5, 1, 4, 2, 3], 0.25, 2],
  [[1, 2], 0.5, 1.5],
  [[10, 20, 30, 40], 0.9, 37],
  [[100, 9], 0, 9], // by number, not by text
])("of %j the share %d lies at %d", (samples, share, expected) => {
  expect(percentile(samples, share)).toBeCloseTo(expected, 10);
});

test("leaves the samples in the order they came", () => {
  const samples = [3, 1, 2];
  expect(median(samples)).toBe(2);
  expect(spreadOf(samples)).toEqual([1, 3]);
  expect(samples).toEqual([3, 1, 2]);
});

test("refuses to make a figure out of nothing", () => {
  expect(() => median([])).toThrow(/no samples/);
  expect(() => percentile([1], 1.5)).toThrow(/share 1.5/);
});
