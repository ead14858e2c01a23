import { expect, test } from "vitest";
import { type CanonicalValue, decodeCanonical, encodeCanonical } from "../canonical/index.ts";
import { exactText, readTagged } from "./tagged-json.ts";

test("[M.K7.1-1] the text of a key names exactly that key, whatever its type is", () => {
  const keys: readonly CanonicalValue[] = [
    "o-1",
    "5",
    5,
    2n ** 60n,
    new Uint8Array([1, 2, 255]),
    { id: "a", part: 3 },
    { $int: "5" },
    ["a", { $bytes: "00" }],
    new Map([["a", 1]]),
  ];
  for (const key of keys) {
    const bytes = encodeCanonical(key);
    const read = readTagged(exactText(decodeCanonical(bytes)));
    expect(encodeCanonical(read as CanonicalValue)).toEqual(bytes);
  }
  expect(exactText("o-1")).toBe('"o-1"');
});
