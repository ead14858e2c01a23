import { expect, test } from "vitest";
import { decodeCursor, encodeCursor } from "./cursor.ts";

const here = { storeIncarnation: "store-1", last: 7 };

test.each([0, 1, 7])("a cursor gives back its place %i", (place) => {
  const cursor = encodeCursor({ place, storeIncarnation: "store-1" });
  expect(decodeCursor(cursor, here)).toBe(place);
});

test("a store's name may hold anything, line breaks and the sign between the two as well", () => {
  for (const storeIncarnation of ["", "a@b", "a\nb", "@"]) {
    const cursor = encodeCursor({ place: 3, storeIncarnation });
    expect(decodeCursor(cursor, { storeIncarnation, last: 3 })).toBe(3);
  }
});

test.each([
  ["a place the store has not reached: it is older than the cursor", "8@store-1"],
  ["a cursor of another store, or of this one before a restore", "3@store-2"],
  ["a number written otherwise", "03@store-1"],
  ["a number with a sign", "-1@store-1"],
  ["a number with a fraction", "1.5@store-1"],
  ["a number too long to be exact", "99999999999999999@store-1"],
  ["a place alone", "3"],
  ["something before it", "\n3@store-1"],
  ["something behind it", "3@store-1\n"],
  ["nothing", ""],
])("refuses %s", (_, text) => {
  expect(() => decodeCursor(text, here)).toThrow("CURSOR_UNKNOWN");
});
