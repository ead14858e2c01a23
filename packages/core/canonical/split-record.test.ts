import fc from "fast-check";
import { expect, test } from "vitest";
import { CanonicalError } from "./canonical-error.ts";
import type { CanonicalValue } from "./canonical-value.ts";
import { decodeCanonical, encodeCanonical } from "./cbor.ts";
import { readByteStrings, splitRecord } from "./split-record.ts";

const bytes = (...parts: readonly number[]) => Uint8Array.of(0xd9, 0xd9, 0xf7, ...parts);
function codeOf(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    if (error instanceof CanonicalError) return error.code;
    throw error;
  }
  return "none";
}

const simple = fc.oneof(
  fc.constantFrom<CanonicalValue>(null, true, false, 0, 24, -500, 2 ** 40, "é", "__proto__"),
  fc.uint8Array({ maxLength: 300 }),
  fc.array(fc.uint8Array({ maxLength: 30 }), { maxLength: 5 }),
  fc.dictionary(fc.string({ maxLength: 40 }), fc.integer()),
);
const records = fc.dictionary(fc.string({ maxLength: 40 }), simple, { maxKeys: 8 });

test("each field of a record, split off, reads as it does in the record", () => {
  fc.assert(
    fc.property(records, (record) => {
      const whole = encodeCanonical(record);
      const fields = splitRecord(whole);
      const read = [...(fields ?? [])].map(([name, field]) => [name, decodeCanonical(field)]);
      expect(Object.fromEntries(read)).toEqual(decodeCanonical(whole));
      expect([...(fields?.values() ?? [])]).toEqual(
        [...(fields?.keys() ?? [])].map((name) => encodeCanonical(record[name] ?? null)),
      );
    }),
  );
});

test("what is no record, or has more than is passed over, is not split", () => {
  let deep: CanonicalValue = 1;
  for (let level = 0; level < 12; level++) deep = [deep];
  for (const value of [1, "text", [1, 2], { deep }, { half: 0.5 }]) {
    expect(splitRecord(encodeCanonical(value))).toBeNull();
  }
  const withByteBehind = bytes(0xa1, 0x61, 0x61, 0x01, 0x00);
  expect(splitRecord(withByteBehind)).toBeNull();
});

test("a record that is cut off anywhere is refused", () => {
  const whole = encodeCanonical({ a: [1, 500, new Uint8Array(40)], b: { c: "text" } });
  for (let end = 0; end < whole.length; end++) {
    const code = codeOf(() => splitRecord(whole.slice(0, end)));
    expect(code, `cut at ${end}`).toMatch(/^CANONICAL_/);
  }
});

test.each([
  ["out of order", bytes(0xa2, 0x61, 0x62, 0x01, 0x61, 0x61, 0x01), "CANONICAL_KEY_ORDER"],
  ["twice there", bytes(0xa2, 0x61, 0x61, 0x01, 0x61, 0x61, 0x02), "CANONICAL_KEY_DUPLICATE"],
])("a record with a field %s is refused, as it is otherwise", (_, given, code) => {
  expect(codeOf(() => splitRecord(given))).toBe(code);
  expect(codeOf(() => decodeCanonical(given))).toBe(code);
});

test("a list of byte strings reads as otherwise, and its strings stay where they are", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 30 }), (strings) => {
      const whole = encodeCanonical(strings);
      const read = readByteStrings(whole);
      expect(read.map((each) => Uint8Array.from(each))).toEqual(decodeCanonical(whole));
      expect(read.every((each) => each.buffer === whole.buffer)).toBe(true);
    }),
  );
});

test.each([
  ["no tag", Uint8Array.of(0x80), "CANONICAL_TAG_MISSING"],
  ["no list", bytes(0x41, 0x00), "CANONICAL_MALFORMED"],
  ["a text among them", bytes(0x82, 0x41, 0x00, 0x61, 0x61), "CANONICAL_MALFORMED"],
  ["fewer than it says", bytes(0x82, 0x41, 0x00), "CANONICAL_TRUNCATED"],
  ["a string that is cut off", bytes(0x81, 0x42, 0x00), "CANONICAL_TRUNCATED"],
  ["a longer head than needed", bytes(0x81, 0x58, 0x01, 0x00), "CANONICAL_NOT_SHORTEST"],
  ["bytes behind it", bytes(0x80, 0x00), "CANONICAL_TRAILING_BYTES"],
])("a list of byte strings is refused: %s", (_, given, code) => {
  expect(codeOf(() => readByteStrings(given))).toBe(code);
});
