import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { encodeCanonical } from "../../canonical/index.ts";
import { Branch, type NodeRef } from "./branch.ts";

const ref: fc.Arbitrary<NodeRef> = fc.record({
  hash: fc.uint8Array({ minLength: 32, maxLength: 32 }),
  count: fc.integer({ min: 1, max: 1_000_000 }),
});
const byte = fc.nat({ max: 255 });
const children = fc.dictionary(byte.map(String), ref, { minKeys: 1, maxKeys: 256, size: "max" });

function entriesOf(given: Readonly<Record<string, NodeRef>>): Map<number, NodeRef> {
  return new Map(Object.entries(given).map(([key, value]) => [Number(key), value]));
}

describe("a branch", () => {
  test("[M.K7.5-2] [M.C-12] has the bytes of its rows in canonical form, read or made", () => {
    fc.assert(
      fc.property(children, children, (first, second) => {
        const made = Branch.empty.with(entriesOf(first));
        // Rows that lie anywhere, as those of a node that was read.
        const read = Branch.read(Uint8Array.of(7, ...made.rows, 7).subarray(1, -1));
        for (const base of [made, read]) {
          const changed = base?.with(entriesOf(second)) ?? Branch.empty;
          for (const each of [base, changed]) {
            const canonical = encodeCanonical({ branch: each?.rows ?? null });
            expect(Buffer.compare(each?.nodeBytes() ?? canonical, canonical)).toBe(0);
          }
        }
      }),
    );
  });

  test("[M.K7.5-2] keeps its bytes when a later one is made of it", () => {
    const hash = new Uint8Array(32).fill(1);
    const made = Branch.empty.with(new Map([[3, { hash, count: 1 }]]));
    const before = made.nodeBytes().slice();
    made.with(new Map([[3, { hash: new Uint8Array(32).fill(2), count: 9 }]]));
    expect(made.nodeBytes()).toEqual(before);
  });
});
