import fc from "fast-check";
import { expect, test } from "vitest";
import { compareText } from "./text-order.ts";

test("orders text as its UTF-8 bytes are ordered", () => {
  const text = fc.string({ unit: "binary", maxLength: 6 });
  fc.assert(
    fc.property(text, text, (left, right) => {
      const expected = Buffer.compare(Buffer.from(left), Buffer.from(right));
      expect(Math.sign(compareText(left, right))).toBe(expected);
    }),
  );
});
