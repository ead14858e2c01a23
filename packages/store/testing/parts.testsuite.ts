import { type Blob, encodeCanonical, hashText } from "@holdfast/core";
import { expect } from "vitest";
import { Owner } from "./change-builder.ts";
import { expectHostError } from "./expectation.ts";
import type { StoreCase } from "./store-case.ts";

function partOf(text: string): Blob {
  const bytes = encodeCanonical(text);
  return { hash: hashText(bytes), bytes };
}

const hashesOf = (parts: readonly Blob[]) => parts.map(({ hash }) => hash).sort();
const graceMs = 1_000;

export const partCases: readonly StoreCase[] = [
  {
    name: "gives parts back in the order asked for, and null for those it does not have",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      await Owner.create(store, "other");
      const [one, two] = [partOf("one"), partOf("two")];
      await owner.persistChange({ parts: [one, two] });
      const wanted = [two.hash, partOf("none").hash, one.hash];
      expect(await store.loadParts("orders", wanted)).toEqual([two.bytes, null, one.bytes]);
      expect(await store.loadParts("other", [one.hash])).toEqual([null]);
      await expectHostError(() => store.loadParts("nobody", [one.hash]), "WORKFLOW_UNKNOWN");
    },
  },
  {
    name: "keeps parts and blobs apart, though their bytes are the same",
    run: async ({ store, clock }) => {
      const owner = await Owner.create(store);
      const both = partOf("both");
      const blob = partOf("blob alone");
      await owner.persistChange({ parts: [both], blobs: [both, blob] });
      expect(await store.listParts("orders", null, 9)).toEqual([both.hash]);
      clock.advance(graceMs * 2);
      expect(await store.sweepParts("orders", [both.hash, blob.hash], graceMs)).toBe(1);
      expect(await store.loadParts("orders", [both.hash])).toEqual([null]);
      expect(await store.loadBlob("orders", both.hash)).toEqual(both.bytes);
      expect(await store.loadBlob("orders", blob.hash)).toEqual(blob.bytes);
    },
  },
  {
    name: "lists the parts of a workflow by their hashes, page by page",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      const other = await Owner.create(store, "other");
      const parts = ["a", "b", "c", "d", "e"].map(partOf);
      await owner.persistChange({ parts });
      await other.persistChange({ parts: [partOf("of another")] });
      const all = hashesOf(parts);
      const first = await store.listParts("orders", null, 2);
      expect(first).toEqual(all.slice(0, 2));
      expect(await store.listParts("orders", first[1] ?? null, 9)).toEqual(all.slice(2));
    },
  },
  {
    name: "sweeps of the parts named those untouched for so long, and says how many",
    run: async ({ store, clock }) => {
      const owner = await Owner.create(store);
      const other = await Owner.create(store, "other");
      const [old, again, kept] = [partOf("old"), partOf("given again"), partOf("not named")];
      await owner.persistChange({ parts: [old, again, kept] });
      await other.persistChange({ parts: [old] });
      expect(await store.sweepParts("orders", [old.hash], graceMs)).toBe(0);
      clock.advance(graceMs * 2);
      await owner.persistChange({ parts: [again] });
      expect(await store.sweepParts("orders", [old.hash, again.hash], graceMs)).toBe(1);
      expect(await store.listParts("orders", null, 9)).toEqual(hashesOf([again, kept]));
      expect(await store.listParts("other", null, 9)).toEqual([old.hash]);
    },
  },
  {
    name: "writes no part of a change that missed",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      await owner.persist();
      expect((await owner.commit({ parts: [partOf("a")], epoch: 99 })).kind).toBe("lease_lost");
      expect(await store.listParts("orders", null, 9)).toEqual([]);
    },
  },
];
