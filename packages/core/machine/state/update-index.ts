import { invariant } from "../../ports/invariant.ts";
import type { Loading } from "../ask.ts";
import { Branch, type NodeRef } from "./branch.ts";
import {
  compareBytes,
  depthMax,
  encodeBranch,
  encodeLeaf,
  type IndexEntry,
  type IndexNode,
  type IndexRoot,
  leafEntriesMax,
  loadNodes,
} from "./index-node.ts";
import { KnownNodes } from "./known-nodes.ts";
import type { Part } from "./load.ts";

/** Null = nothing is to be there. */
export type IndexChange = { readonly at: Uint8Array; readonly value: Uint8Array | null };

export type UpdatedIndex = {
  readonly root: IndexRoot;
  readonly written: readonly Part[];
  /** Nodes of the index as it was that are not in it any more. */
  readonly replaced: readonly NodeRef[];
};

/** Not hashed before all is known: what is built on the way and not kept is never written. */
type Draft = NodeRef /* kept already */ | LeafDraft | BranchDraft;
type LeafDraft = { readonly entries: readonly IndexEntry[] };
type BranchDraft = {
  readonly base: Branch;
  /** Children that are no longer what the base has; null = they are gone. */
  readonly changed: ReadonlyMap<number, Draft | null>;
  readonly count: number;
};

/**
 * The index with the changes in it, and the nodes that are new: those on the way to a change.
 * Branches are then among the known ones as they are now, so that the next update reads none.
 */
export function* updateIndex(
  root: IndexRoot,
  changes: readonly IndexChange[],
  known = new KnownNodes(),
): Loading<UpdatedIndex> {
  const sorted = [...changes].sort((left, right) => compareBytes(left.at, right.at));
  invariant(
    sorted.every(({ at }, index) => {
      const before = sorted[index - 1];
      return before === undefined || compareBytes(before.at, at) < 0;
    }),
    "an index has one change for one place",
  );
  if (sorted.length === 0) return { root, written: [], replaced: [] };
  const way: Way = { known, replaced: root === null ? [] : [root] };
  const [node = null] = yield* known.readOnce(way.replaced);
  const draft = yield* changed(way, { node, depth: 0 }, sorted);
  const { replaced } = way;
  if (draft === null) return { root: null, written: [], replaced };
  const kept: Kept = { written: [], known };
  return { root: keep(draft, kept), written: kept.written, replaced };
}

type Way = { readonly known: KnownNodes; readonly replaced: NodeRef[] };
type Place = { readonly node: IndexNode | null; readonly depth: number };

/** Null = nothing is left. */
function* changed(
  way: Way,
  { node, depth }: Place,
  changes: readonly IndexChange[],
): Loading<Draft | null> {
  if (node === null || "entries" in node) return build(merge(node?.entries ?? [], changes), depth);
  const groups = byByte(changes, depth);
  const there = [...groups.keys()].filter((byte) => node.child(byte) !== null);
  const refs = there.flatMap((byte) => node.child(byte) ?? []);
  const read = yield* way.known.readOnce(refs);
  way.replaced.push(...refs);
  const below = new Map(there.map((byte, at) => [byte, read[at] ?? null]));
  const children = new Map<number, Draft | null>();
  for (const [byte, group] of groups) {
    const place = { node: below.get(byte) ?? null, depth: depth + 1 };
    children.set(byte, yield* changed(way, place, group));
  }
  return yield* joined(node, children);
}

/** A branch, or the one leaf that is left of it. */
function* joined(base: Branch, children: ReadonlyMap<number, Draft | null>): Loading<Draft | null> {
  let { count } = base;
  for (const [byte, child] of children) {
    count += (child === null ? 0 : countOf(child)) - (base.child(byte)?.count ?? 0);
  }
  if (count > leafEntriesMax) return { base, changed: children, count };
  if (count === 0) return null;
  const entries: IndexEntry[] = [];
  for (const byte of inOrder(new Set([...base.bytes(), ...children.keys()]))) {
    const child = children.has(byte) ? (children.get(byte) ?? null) : base.child(byte);
    if (child !== null) entries.push(...(yield* entriesOf(child)));
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
  return { base: Branch.empty, changed: children, count: entries.length };
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

function inOrder(bytes: Iterable<number>): readonly number[] {
  return [...bytes].sort((left, right) => left - right);
}

type Kept = { readonly written: Part[]; readonly known: KnownNodes };

function keep(draft: Draft, kept: Kept): NodeRef {
  if ("hash" in draft) return draft;
  if ("entries" in draft) {
    const { part, hash } = encodeLeaf(draft.entries);
    kept.written.push(part);
    return { hash, count: draft.entries.length };
  }
  const children = new Map<number, NodeRef | null>();
  for (const [byte, child] of draft.changed) {
    children.set(byte, child === null ? null : keep(child, kept));
  }
  const branch = draft.base.with(children);
  const { part, hash } = encodeBranch(branch);
  kept.written.push(part);
  const ref = { hash, count: draft.count };
  kept.known.add(ref, branch);
  return ref;
}
