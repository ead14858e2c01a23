/**
 * A content-addressed index: 32 bytes lead to a value. What it looks like is a function of what is
 * in it alone, so that equal contents have equal roots, whatever way they came about: at most
 * `leafEntriesMax` entries are one sorted leaf, more are a branch by the next byte.
 */
import { CanonicalError, decodeCanonical, encodeCanonical, sha256 } from "../../canonical/index.ts";
import type { Loading } from "../ask.ts";
import { hashOfBytes } from "../hash-bytes.ts";
import { Branch, type NodeRef } from "./branch.ts";
import { readLeaf } from "./leaf-bytes.ts";
import { loadParts, type Part, StateFault } from "./load.ts";

export const leafEntriesMax = 64;
/** Bytes of a hash: below the last one there is nothing left to tell entries apart by. */
export const depthMax = 32;

/** The value is bytes: of all the entries of a leaf only one is ever looked at. */
export type IndexEntry = { readonly at: Uint8Array; readonly value: Uint8Array };

export type IndexRoot = NodeRef | null; // null = it is empty

export type Leaf = { readonly entries: readonly IndexEntry[] };
export type IndexNode = Leaf | Branch;

/** A part with the bytes of its hash, as the node above it has them. */
export type EncodedNode = { readonly part: Part; readonly hash: Uint8Array };

export function encodeLeaf(entries: readonly IndexEntry[]): EncodedNode {
  return partOf(encodeCanonical({ leaf: entries.map(({ at, value }) => [at, value]) }));
}

export function encodeBranch(branch: Branch): EncodedNode {
  return partOf(branch.nodeBytes());
}

function partOf(bytes: Uint8Array): EncodedNode {
  const hash = sha256(bytes);
  return { part: { hash: hashOfBytes(hash), bytes }, hash };
}

/** In the order asked for, each checked against its hash. */
export function* loadNodes(refs: readonly NodeRef[]): Loading<readonly IndexNode[]> {
  if (refs.length === 0) return [];
  const parts = yield* loadParts(refs.map(({ hash }) => hash));
  return refs.map((ref, at) => readNode(parts[at] ?? new Uint8Array(), ref));
}

function readNode(bytes: Uint8Array, { hash, count }: NodeRef): IndexNode {
  const node = decodeNode(bytes);
  if (node === null || countOf(node) !== count) {
    throw new StateFault("state.malformed", hashOfBytes(hash));
  }
  return node;
}

function countOf(node: IndexNode): number {
  return "entries" in node ? node.entries.length : node.count;
}

/** Null = it has the form of neither. Nothing but the form is read: the hash vouches for it. */
function decodeNode(bytes: Uint8Array): IndexNode | null {
  const entries = readLeaf(bytes);
  if (entries !== null) return { entries };
  const { leaf, branch } = decoded(bytes) as { leaf?: unknown; branch?: unknown };
  if (Array.isArray(leaf)) {
    const entries = leaf.map(([at, value]) => ({ at, value }));
    const isSound = ({ at, value }: { at: unknown; value: unknown }) =>
      at instanceof Uint8Array && value instanceof Uint8Array;
    return entries.every(isSound) ? { entries } : null;
  }
  return branch instanceof Uint8Array ? Branch.read(branch) : null;
}

function decoded(bytes: Uint8Array): object {
  try {
    const value = decodeCanonical(bytes);
    return typeof value === "object" && value !== null ? value : {};
  } catch (error) {
    if (error instanceof CanonicalError) return {};
    throw error;
  }
}

export function compareBytes(left: Uint8Array, right: Uint8Array): number {
  const length = Math.min(left.length, right.length);
  for (let at = 0; at < length; at++) {
    const difference = (left[at] ?? 0) - (right[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}
