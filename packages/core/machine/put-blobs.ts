/**
 * What `sys/blob.put@1` keeps: the bytes, and an edge (`sys/BlobEdge@1`) that says which others
 * they name. Both lie among the parts, because they are collected, under names that say what they
 * are: nobody has to look into bytes to find out.
 */
import {
  type CanonicalValue,
  decodeCanonical,
  encodeCanonical,
  type Hash,
  hashText,
} from "../canonical/index.ts";
import type { Part } from "./state/load.ts";

export type BlobEdge = { readonly blobRef: Hash; readonly refs: readonly Hash[] };

export type PutBlob = {
  readonly blobRef: Hash;
  readonly edgeRef: Hash;
  readonly size: number;
  readonly parts: readonly Part[];
};

export function blobName(ref: Hash): Hash {
  return `blob:${ref}` as Hash;
}

/** Params that were made whole: every one of `refs` is a hash. */
export function putBlob(params: Readonly<Record<string, CanonicalValue>>): PutBlob {
  const bytes = params["bytes"] as Uint8Array;
  const refs = (params["refs"] ?? []) as readonly Hash[];
  const blobRef = hashText(bytes);
  const edge = encodeCanonical({ blob_ref: blobRef, refs });
  const edgeRef = hashText(edge);
  const kind = refs.length === 0 ? "edge" : "refs";
  const parts = [
    { hash: blobName(blobRef), bytes },
    { hash: `${kind}:${blobRef}:${edgeRef}` as Hash, bytes: edge },
  ];
  return { blobRef, edgeRef, size: bytes.length, parts };
}

/** `edge` has no refs, `refs` has some. */
export type KeptName =
  | { readonly kind: "part"; readonly ref: Hash }
  | { readonly kind: "blob"; readonly ref: Hash }
  | { readonly kind: "edge" | "refs"; readonly ref: Hash; readonly edgeRef: Hash };

const hashChars = "sha256:".length + 64;

export function readKeptName(name: string): KeptName {
  const kind = name.slice(0, 4);
  const ref = name.slice(5, 5 + hashChars) as Hash;
  if (kind === "blob") return { kind, ref };
  if (kind !== "edge" && kind !== "refs") return { kind: "part", ref: name as Hash };
  return { kind, ref, edgeRef: name.slice(6 + hashChars) as Hash };
}

export function readEdge(bytes: Uint8Array): BlobEdge {
  const edge = decodeCanonical(bytes) as { readonly blob_ref: Hash; readonly refs: Hash[] };
  return { blobRef: edge.blob_ref, refs: edge.refs };
}
