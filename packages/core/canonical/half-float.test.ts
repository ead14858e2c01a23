import { expect, test } from "vitest";
import { halfFloatBits, halfFloatValue } from "./half-float.ts";

test("gives back the bits of every finite half float", () => {
  const lost: number[] = [];
  for (let bits = 0; bits < 0x10000; bits++) {
    const value = halfFloatValue(bits);
    if (Number.isFinite(value) && halfFloatBits(value) !== bits) lost.push(bits);
  }
  expect(lost).toEqual([]);
});

test.each([
  [65504, 0x7bff],
  [65505, -1],
  [65520, -1],
  [131072, -1],
  [2 ** -24, 1],
  [2 ** -25, -1],
  [1.5 * 2 ** -24, -1],
  [1023 * 2 ** -24, 0x03ff],
  [1 + 2 ** -10, 0x3c01],
  [1 + 2 ** -11, -1],
  [0.1, -1],
  [1e300, -1],
])("holds %d as %d", (value, bits) => {
  expect(halfFloatBits(value)).toBe(bits);
});
