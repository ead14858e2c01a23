import { type Blob, encodeCanonical, insertRow, pinPayload } from "@holdfast/core";
import { expect } from "vitest";
import { Owner } from "./change-builder.ts";
import { expectHostError } from "./expectation.ts";
import { eventRow } from "./row-builder.ts";
import type { StoreCase } from "./store-case.ts";
import { rowsOf } from "./table-reader.ts";

function largePayload(text: string) {
  const { payload, blob } = pinPayload(encodeCanonical(text.repeat(600)));
  if (blob === null) throw new Error("over 512 bytes is a blob");
  return { payload, blob };
}

export const blobCases: readonly StoreCase[] = [
  {
    name: "gives a blob back byte for byte, and the row that names it without its bytes",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      const { payload, blob } = largePayload("é");
      const row = eventRow("m-1", { payload });
      await owner.persistChange({ rows: [insertRow("events", row)], blobs: [blob] });
      expect(await store.loadBlob("orders", blob.hash)).toEqual(blob.bytes);
      expect(await rowsOf(store, "orders", "events")).toEqual([row]);
    },
  },
  {
    name: "takes a blob it already has, and keeps the bytes it has",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      const { blob } = largePayload("a");
      await owner.persistChange({ blobs: [blob, blob] });
      await owner.persistChange({ blobs: [blob] });
      const impostor: Blob = { hash: blob.hash, bytes: new Uint8Array(3) };
      await owner.persistChange({ blobs: [impostor] });
      expect(await store.loadBlob("orders", blob.hash)).toEqual(blob.bytes);
    },
  },
  {
    name: "says BLOB_MISSING for a hash it does not have",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      const { blob } = largePayload("a");
      await expectHostError(() => store.loadBlob("orders", blob.hash), "BLOB_MISSING");
      await owner.persistChange({ blobs: [blob] });
      await Owner.create(store, "other");
      await expectHostError(() => store.loadBlob("other", blob.hash), "BLOB_MISSING");
    },
  },
  {
    name: "writes no blob of a change that missed",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      const stale = owner.head;
      await owner.persist();
      const { blob } = largePayload("a");
      expect((await owner.commit({ blobs: [blob], onHead: stale })).kind).toBe("conflict");
      expect((await owner.commit({ blobs: [blob], epoch: 99 })).kind).toBe("lease_lost");
      await expectHostError(() => store.loadBlob("orders", blob.hash), "BLOB_MISSING");
    },
  },
  {
    name: "is not changed by a caller who changes the bytes of a blob it gave or got",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      const { blob } = largePayload("a");
      const written = Uint8Array.from(blob.bytes);
      await owner.persistChange({ blobs: [blob] });
      blob.bytes.fill(0);
      (await store.loadBlob("orders", blob.hash)).fill(1);
      expect(await store.loadBlob("orders", blob.hash)).toEqual(written);
    },
  },
  {
    name: "has the blob after it is opened again",
    needsReopen: true,
    run: async ({ store, reopen }) => {
      const owner = await Owner.create(store);
      const { blob } = largePayload("a");
      await owner.persistChange({ blobs: [blob] });
      expect(await (await reopen()).loadBlob("orders", blob.hash)).toEqual(blob.bytes);
    },
  },
];
