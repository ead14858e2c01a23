import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { encodeCanonical } from "../../canonical/index.ts";
import { readLeaf } from "./leaf-bytes.ts";

const place = fc.uint8Array({ minLength: 32, maxLength: 32 });
const value = fc.uint8Array({ maxLength: 700, size: "max" });
const leaf = fc.array(fc.tuple(place, value), { maxLength: 80 });

describe("a leaf", () => {
  test("[M.K7.5-2] is read from its bytes as it was written", () => {
    fc.assert(
      fc.property(leaf, (entries) => {
        const read = readLeaf(encodeCanonical({ leaf: entries }));
        expect(read).toEqual(entries.map(([at, own]) => ({ at, value: own })));
      }),
    );
  });

  test("[M.K7.5-1] is left to the long way when it is anything else", () => {
    const entry = [new Uint8Array(32), new Uint8Array(40)];
    const sound = encodeCanonical({ leaf: [entry] });
    const cases: readonly (readonly [string, Uint8Array])[] = [
      ["cut", sound.subarray(0, -1)],
      ["with something behind it", Uint8Array.of(...sound, 0)],
      ["with a short place", encodeCanonical({ leaf: [[new Uint8Array(31), entry[1] ?? null]] })],
      ["with a text", encodeCanonical({ leaf: [[entry[0] ?? null, "x".repeat(40)]] })],
      ["a branch", encodeCanonical({ branch: new Uint8Array(37) })],
      ["empty", new Uint8Array()],
    ];
    expect(readLeaf(sound)).toHaveLength(1);
    for (const [what, bytes] of cases) expect([what, readLeaf(bytes)]).toEqual([what, null]);
  });
});
