import { describe, expect, test } from "vitest";
import { outcome } from "./testing/outcome.ts";
import type { Schema } from "./type-table.ts";

const int: Schema = { type: "int" };
const text: Schema = { type: "text" };

describe("text, bytes and list", () => {
  test.each([
    [{ type: "text", bytesMax: 3 }, "abc", "abc"],
    [{ type: "text", bytesMax: 3 }, "abcd", "expected text of at most 3 bytes, got more"],
    [{ type: "text", bytesMax: 3 }, "水", "水"],
    [{ type: "text", bytesMax: 3 }, "é水", "expected text of at most 3 bytes, got more"],
    [{ type: "text", bytesMax: 4 }, "😀", "😀"],
    [{ type: "text", bytesMax: 3 }, "😀", "expected text of at most 3 bytes, got more"],
    [{ type: "text", bytesMax: 0 }, "", ""],
    [text, "a\ud800", "expected text, got text with a lone surrogate"],
    [{ type: "bytes", bytesMax: 1 }, Uint8Array.of(1), Uint8Array.of(1)],
    [{ type: "bytes", bytesMax: 1 }, new Uint8Array(2), "expected at most 1 bytes, got 2 bytes"],
    [{ type: "list", item: int, itemsMax: 1 }, [1], [1n]],
    [
      { type: "list", item: int, itemsMax: 1 },
      [1, 2],
      "expected list of at most 1 items, got 2 items",
    ],
    [{ type: "list", item: { type: "option", inner: int } }, [null, 1], [null, 1n]],
    [{ type: "list", item: int }, [1, undefined], "[1]: expected int, got nothing"],
  ] as [Schema, unknown, unknown][])("%o of %o gives %o", (schema, value, expected) => {
    expect(outcome(schema, value)).toStrictEqual(expected);
  });

  test("validated bytes do not change with the input", () => {
    const input = Uint8Array.of(1);
    const validated = outcome({ type: "bytes" }, input);
    input[0] = 9;
    expect(validated).toStrictEqual(Uint8Array.of(1));
  });
});
