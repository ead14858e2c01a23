import { invariant } from "../../ports/invariant.ts";
import type { Loading } from "../ask.ts";
import {
  compareBytes,
  depthMax,
  type EncodedNode,
  encodeBranch,
  encodeLeaf,
  type IndexEntry,
  type IndexNode,
  type IndexRoot,
  leafEntriesMax,
  loadNodes,
  type NodeRef,
} from "./index-node.ts";
import type { Part } from "./load.ts";

/** Null = nothing is to be there. */
export type IndexChange = { readonly at: Uint8Array; readonly value: Uint8Array | null };

export type UpdatedIndex = { readonly root: IndexRoot; readonly written: readonly Part[] };

/** Not hashed before all is known: what is built on the way and not kept is never written. */
type Draft =
  | NodeRef // kept already
  | { readonly entries: readonly IndexEntry[] }
  | { readonly children: ReadonlyMap<number, Draft>; readonly count: number };

/** The index with the changes in it, and the nodes that are new: those on the way to a change. */
export function* updateIndex(
  root: IndexRoot,
  changes: readonly IndexChange[],
): Loading<UpdatedIndex> {
  const sorted = [...changes].sort((left, right) => compareBytes(left.at, right.at));
  invariant(
    sorted.every(({ at }, index) => {
      const before = sorted[index - 1];
      return before === undefined || compareBytes(before.at, at) < 0;
    }),
    "an index has one change for one place",
  );
  if (sorted.length === 0) return { root, written: [] };
  const [node = null] = root === null ? [] : yield* loadNodes([root]);
  const written: Part[] = [];
  const draft = yield* changed(node, 0, sorted);
  return { root: draft === null ? null : keep(draft, written), written };
}

/** Null = nothing is left. */
function* changed(
  node: IndexNode | null,
  depth: number,
  changes: readonly IndexChange[],
): Loading<Draft | null> {
  if (node === null || "entries" in node) return build(merge(node?.entries ?? [], changes), depth);
  const groups = byByte(changes, depth);
  const known = [...groups.keys()].filter((byte) => node.children.has(byte));
  const loaded = yield* loadNodes(known.flatMap((byte) => node.children.get(byte) ?? []));
  const below = new Map(known.map((byte, at) => [byte, loaded[at] ?? null]));
  const children = new Map<number, Draft>(node.children);
  for (const [byte, group] of groups) {
    const child = yield* changed(below.get(byte) ?? null, depth + 1, group);
    if (child === null) children.delete(byte);
    else children.set(byte, child);
  }
  return yield* joined(children);
}

/** A branch, or the one leaf that is left of it. */
function* joined(children: ReadonlyMap<number, Draft>): Loading<Draft | null> {
  let count = 0;
  for (const child of children.values()) count += countOf(child);
  if (count > leafEntriesMax) return { children, count };
  if (count === 0) return null;
  const entries: IndexEntry[] = [];
  for (const byte of inOrder(children)) {
    const child = children.get(byte);
    if (child !== undefined) entries.push(...(yield* entriesOf(child)));
  }
  return { entries };
}

/** Of so few that they fit a leaf: then it is one, or its children are. */
function* entriesOf(draft: Draft): Loading<readonly IndexEntry[]> {
  if ("entries" in draft) return draft.entries;
  invariant("hash" in draft, "what fits a leaf is not a branch");
  const [node] = yield* loadNodes([draft]);
  invariant(node !== undefined && "entries" in node, "what fits a leaf is not a branch");
  return node.entries;
}

function countOf(draft: Draft): number {
  return "entries" in draft ? draft.entries.length : draft.count;
}

function build(entries: readonly IndexEntry[], depth: number): Draft | null {
  if (entries.length === 0) return null;
  if (entries.length <= leafEntriesMax || depth === depthMax) return { entries };
  const children = new Map<number, Draft>();
  for (const [byte, group] of byByte(entries, depth)) {
    const child = build(group, depth + 1);
    if (child !== null) children.set(byte, child);
  }
  return { children, count: entries.length };
}

/** Both sorted; a change stands for the entry at its place. */
function merge(
  entries: readonly IndexEntry[],
  changes: readonly IndexChange[],
): readonly IndexEntry[] {
  const merged: IndexEntry[] = [];
  let next = 0;
  for (const { at, value } of changes) {
    let entry = entries[next];
    while (entry !== undefined && compareBytes(entry.at, at) < 0) {
      merged.push(entry);
      next += 1;
      entry = entries[next];
    }
    if (entry !== undefined && compareBytes(entry.at, at) === 0) next += 1;
    if (value !== null) merged.push({ at, value });
  }
  for (; next < entries.length; next++) {
    const entry = entries[next];
    if (entry !== undefined) merged.push(entry);
  }
  return merged;
}

function byByte<T extends { readonly at: Uint8Array }>(
  sorted: readonly T[],
  depth: number,
): ReadonlyMap<number, readonly T[]> {
  const groups = new Map<number, T[]>();
  for (const each of sorted) {
    const byte = each.at[depth] ?? 0;
    const group = groups.get(byte);
    if (group === undefined) groups.set(byte, [each]);
    else group.push(each);
  }
  return groups;
}

function inOrder(children: ReadonlyMap<number, unknown>): readonly number[] {
  return [...children.keys()].sort((left, right) => left - right);
}

function keep(draft: Draft, written: Part[]): NodeRef {
  if ("hash" in draft) return draft;
  const { part, hash } =
    "entries" in draft ? encodeLeaf(draft.entries) : keepBranch(draft.children, written);
  written.push(part);
  return { hash, count: countOf(draft) };
}

function keepBranch(children: ReadonlyMap<number, Draft>, written: Part[]): EncodedNode {
  const refs: [number, NodeRef][] = [];
  for (const byte of inOrder(children)) {
    const child = children.get(byte);
    if (child !== undefined) refs.push([byte, keep(child, written)]);
  }
  return encodeBranch(refs);
}
