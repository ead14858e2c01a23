/** Indexes after random histories: what they look like says what is in them, and nothing else. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeCanonical, encodeCanonical, sha256 } from "../../canonical/index.ts";
import { hashOfBytes } from "../hash-bytes.ts";
import { hex } from "../hex.ts";
import { PartShelf } from "../testing/part-shelf.ts";
import { type IndexRoot, leafEntriesMax } from "./index-node.ts";
import { KnownNodes } from "./known-nodes.ts";
import { StateFault } from "./load.ts";
import { findInIndex, walkIndexes } from "./read-index.ts";
import { updateIndex } from "./update-index.ts";

const scale = Number(process.env["HOLDFAST_FUZZ_SCALE"] ?? 1);

/** The place of a number; places of one family begin with the same bytes. */
function placeOf(number: number, sharedBytes: number): Uint8Array {
  const place = sha256(encodeCanonical(number));
  place.fill(7, 0, number % 3 === 0 ? 0 : sharedBytes);
  return place;
}

type Change = { readonly at: Uint8Array; readonly value: number | null };

class Index {
  readonly shelf: PartShelf;
  root: IndexRoot = null;
  writtenCount = 0;
  loads = { unread: 0, known: 0 };
  /** What was read of it before, and of what it was before. */
  readonly known = new KnownNodes();

  constructor(shelf = new PartShelf()) {
    this.shelf = shelf;
  }

  update(given: readonly Change[]): void {
    const changes = given.map(({ at, value }) => {
      return { at, value: value === null ? null : encodeCanonical(value) };
    });
    const before = this.shelf.loadCount;
    const unread = this.shelf.drive(updateIndex(this.root, changes));
    const between = this.shelf.loadCount;
    const { root, written } = this.shelf.drive(updateIndex(this.root, changes, this.known));
    this.loads = { unread: between - before, known: this.shelf.loadCount - between };
    // What was read before makes no difference.
    expect(written).toEqual(unread.written);
    this.shelf.keep(written);
    this.writtenCount = written.length;
    this.root = root;
  }

  find(place: Uint8Array) {
    const [found = null] = this.shelf.drive(findInIndex(this.root, [place]));
    const [known = null] = this.shelf.drive(findInIndex(this.root, [place], this.known));
    expect(known).toEqual(found);
    return found === null ? null : decodeCanonical(found);
  }

  get rootText(): string {
    return this.root === null ? "empty" : `${hex(this.root.hash)} ${this.root.count}`;
  }
}

const numbers = fc.uniqueArray(fc.nat(600), { maxLength: 400, size: "max" });
const history = fc.record({
  kept: numbers,
  passing: numbers,
  sharedBytes: fc.constantFrom(0, 1, 2, 5, 28),
  batch: fc.integer({ min: 1, max: 150 }),
  seed: fc.integer(),
});

function inBatches(index: Index, changes: readonly Change[], size: number): void {
  for (let at = 0; at < changes.length; at += size) index.update(changes.slice(at, at + size));
}

/** Another order of the same, from a seed. */
function shuffled<T>(all: readonly T[], seed: number): readonly T[] {
  const rank = (each: T) => hex(sha256(encodeCanonical([seed, JSON.stringify(each)])));
  return [...all].sort((left, right) => (rank(left) < rank(right) ? -1 : 1));
}

describe("an index", () => {
  test("[M.K7.5-2] [M.K7.5-3] has one root for its contents, whatever its history", () => {
    let splitCount = 0;
    fc.assert(
      fc.property(history, ({ kept, passing, sharedBytes, batch, seed }) => {
        const put = (number: number, value: number | null = number) => {
          return { at: placeOf(number, sharedBytes), value };
        };
        const straight = new Index();
        straight.update(kept.map((number) => put(number)));
        const winding = new Index();
        const gone = passing.filter((number) => !kept.includes(number));
        inBatches(
          winding,
          shuffled([...passing, ...kept.filter((n) => !passing.includes(n))], seed).map((n) =>
            put(n, -1),
          ),
          batch,
        );
        inBatches(
          winding,
          shuffled(kept, seed + 1).map((n) => put(n)),
          batch,
        );
        inBatches(
          winding,
          shuffled(gone, seed + 2).map((n) => put(n, null)),
          batch,
        );
        expect(winding.rootText).toBe(straight.rootText);
        expect(straight.root?.count ?? 0).toBe(kept.length);
        for (const number of [...kept.slice(0, 20), ...gone.slice(0, 20)]) {
          const value = kept.includes(number) ? number : null;
          expect(winding.find(placeOf(number, sharedBytes))).toBe(value);
        }
        if (kept.length > leafEntriesMax) splitCount += 1;
      }),
      { numRuns: Math.ceil(60 * scale) },
    );
    expect(splitCount).toBeGreaterThan(0);
  });

  test("[M.K7.5-3] is what it was, to the node, after an entry came and went", () => {
    fc.assert(
      fc.property(numbers, fc.nat(600), (kept, one) => {
        const others = kept.filter((number) => number !== one);
        const index = new Index();
        index.update(others.map((number) => ({ at: placeOf(number, 2), value: number })));
        const before = index.rootText;
        index.update([{ at: placeOf(one, 2), value: 1 }]);
        expect(index.rootText).not.toBe(before);
        index.update([{ at: placeOf(one, 2), value: null }]);
        expect(index.rootText).toBe(before);
      }),
      { numRuns: Math.ceil(40 * scale) },
    );
  });

  test("[M.K7.5-3] a full leaf splits, and what is left of a branch is a leaf again", () => {
    const index = new Index();
    const full = Array.from({ length: leafEntriesMax }, (_, n) => ({
      at: placeOf(n, 0),
      value: n,
    }));
    index.update(full);
    const leaf = index.rootText;
    expect(index.writtenCount).toBe(1);
    index.update([{ at: placeOf(leafEntriesMax, 0), value: 1 }]);
    expect(index.writtenCount).toBeGreaterThan(2);
    index.update([{ at: placeOf(leafEntriesMax, 0), value: null }]);
    expect(index.rootText).toBe(leaf);
    expect(index.writtenCount).toBe(1);
  });

  test("[M.K7.5-3] a leaf is sorted, whatever was put into it last", () => {
    const all = Array.from({ length: 10 }, (_, n) => ({ at: placeOf(n, 0), value: n }));
    const [there, back] = [new Index(), new Index()];
    inBatches(there, all, 1);
    inBatches(back, all.toReversed(), 1);
    expect(back.rootText).toBe(there.rootText);
  });

  test("[M.K7.5-2] writes only the way to what changed, and reads no more", () => {
    const index = new Index();
    const count = 20_000;
    index.update(Array.from({ length: count }, (_, n) => ({ at: placeOf(n, 0), value: n })));
    const all = index.writtenCount;
    index.update([{ at: placeOf(5, 0), value: -5 }]);
    expect(index.writtenCount).toBeLessThanOrEqual(3);
    expect(index.loads.unread).toBeLessThanOrEqual(3);
    // The branches are known from the update before.
    expect(index.loads.known).toBe(1);
    expect(all).toBeGreaterThan(count / leafEntriesMax);
  });

  test("walks every entry once, and nodes that several share once", () => {
    const [before, after] = [new Index(), new Index()];
    const changes = Array.from({ length: 500 }, (_, n) => ({ at: placeOf(n, 1), value: n }));
    before.update(changes);
    after.shelf.keep([...before.shelf.parts].map(([hash, bytes]) => ({ hash, bytes })));
    after.root = before.root;
    after.update([{ at: placeOf(3, 1), value: -3 }]);
    const nodes: string[] = [];
    const values: unknown[] = [];
    const visitor = {
      node: (hash: string) => void nodes.push(hash),
      entries: (all: readonly { readonly value: Uint8Array }[]) =>
        void values.push(...all.map(({ value }) => decodeCanonical(value))),
    };
    after.shelf.drive(walkIndexes([before.root, after.root, null], visitor));
    expect(new Set(nodes).size).toBe(nodes.length);
    expect(new Set(nodes)).toEqual(new Set(after.shelf.parts.keys()));
    expect(new Set(values)).toEqual(new Set([...changes.map(({ value }) => value), -3]));
  });
});

describe("[M.K7.5-1] a node that is not what its hash says", () => {
  const broken = (damage: (shelf: PartShelf, root: Uint8Array) => void) => {
    const index = new Index();
    index.update(Array.from({ length: 100 }, (_, n) => ({ at: placeOf(n, 0), value: n })));
    damage(index.shelf, index.root?.hash ?? new Uint8Array());
    return index;
  };
  const codeOf = (act: () => unknown): string => {
    try {
      act();
    } catch (error) {
      if (error instanceof StateFault) return error.code;
      throw error;
    }
    return "nothing";
  };
  const change = [{ at: placeOf(1, 0), value: 1 }];
  const acts: readonly (readonly [string, (index: Index) => unknown])[] = [
    ["found", (index) => index.find(placeOf(1, 0))],
    ["updated", (index) => index.update(change)],
    [
      "walked",
      (index) =>
        index.shelf.drive(walkIndexes([index.root], { node: () => {}, entries: () => {} })),
    ],
  ];

  test.each(acts)("is refused when it is %s", (_, act) => {
    const missing = broken((shelf) => shelf.parts.clear());
    expect(codeOf(() => act(missing))).toBe("state.missing");
    const altered = broken((shelf) => {
      for (const [hash, bytes] of shelf.parts) shelf.parts.set(hash, bytes.with(-1, 99));
    });
    expect(codeOf(() => act(altered))).toBe("state.altered");
    const stranger = encodeCanonical({ neither: 1 });
    const malformed = broken(() => {});
    malformed.root = { hash: sha256(stranger), count: 100 };
    malformed.shelf.keep([{ hash: hashOfBytes(sha256(stranger)), bytes: stranger }]);
    expect(codeOf(() => act(malformed))).toBe("state.malformed");
    expect(codeOf(() => act(broken(() => {})))).toBe("nothing");
  });
});
