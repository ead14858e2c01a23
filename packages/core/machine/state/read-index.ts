import type { Hash } from "../../canonical/index.ts";
import type { Loading } from "../ask.ts";
import { hashOfBytes } from "../hash-bytes.ts";
import { hex, sameBytes } from "../hex.ts";
import type { Branch, NodeRef } from "./branch.ts";
import { compareBytes, type IndexEntry, type IndexRoot, loadNodes } from "./index-node.ts";
import { KnownNodes } from "./known-nodes.ts";

/** What is at each of these places, in their order; null = nothing is. */
export function* findInIndex(
  root: IndexRoot,
  places: readonly Uint8Array[],
  known = new KnownNodes(),
): Loading<readonly (Uint8Array | null)[]> {
  const found: (Uint8Array | null)[] = places.map(() => null);
  let open = root === null ? [] : places.map((at, index) => ({ at, index, ref: root }));
  for (let depth = 0; open.length > 0; depth++) {
    const refs = [...new Set(open.map(({ ref }) => ref))];
    const read = yield* known.read(refs);
    const nodes = new Map(refs.map((ref, at) => [ref, read[at]]));
    const next: typeof open = [];
    for (const { at, index, ref } of open) {
      const node = nodes.get(ref);
      if (node === undefined) continue;
      if ("entries" in node) {
        found[index] = node.entries.find((entry) => sameBytes(entry.at, at))?.value ?? null;
        continue;
      }
      const child = node.child(at[depth] ?? 0);
      if (child !== null) next.push({ at, index, ref: child });
    }
    open = next;
  }
  return found;
}

export type IndexVisitor = {
  readonly node: (hash: Hash) => void;
  readonly entries: (entries: readonly IndexEntry[]) => void;
};

/** Places whose nodes are asked for together. */
const placesAtOnce = 32;

/**
 * Every node and entry of all of these indexes, each node once, however many of them share it.
 * Holds no more than the way down.
 */
export function* walkIndexes(roots: readonly IndexRoot[], visitor: IndexVisitor): Loading<void> {
  // Nodes at the same place of their indexes: only those can be the same.
  const places: (readonly NodeRef[])[] = [distinct(roots.flatMap((root) => root ?? []))];
  while (places.length > 0) {
    const some = places.splice(-placesAtOnce);
    const refs = some.flat();
    const nodes = yield* loadNodes(refs);
    let at = 0;
    for (const place of some) {
      const below = new Map<number, NodeRef[]>();
      for (const { hash } of place) {
        visitor.node(hashOfBytes(hash));
        const node = nodes[at++];
        if (node === undefined) continue;
        if ("entries" in node) visitor.entries(node.entries);
        else for (const byte of node.bytes()) addTo(below, byte, node.child(byte));
      }
      for (const group of below.values()) places.push(distinct(group));
    }
  }
}

/** Entries whose nodes are asked for together. */
const entriesAtOnce = 256;

type Way = { readonly ref: NodeRef; readonly depth: number; readonly isBorder: boolean };

/** Entries beyond a place, in order, for as long as they are wanted; null = from the first on. */
export function* walkAfter(
  root: IndexRoot,
  after: Uint8Array | null,
  isEnough: (entry: IndexEntry) => boolean,
): Loading<void> {
  // What comes first is at the end.
  const ways: Way[] = root === null ? [] : [{ ref: root, depth: 0, isBorder: after !== null }];
  while (ways.length > 0) {
    const some = nextOf(ways);
    const nodes = yield* loadNodes(some.map(({ ref }) => ref));
    for (const [index, way] of some.entries()) {
      const node = nodes[index];
      if (node === undefined) continue;
      if (!("entries" in node)) {
        ways.push(...some.slice(index + 1).reverse(), ...waysBelow(node, way, after));
        break;
      }
      for (const entry of node.entries) {
        if (after !== null && compareBytes(entry.at, after) <= 0) continue;
        if (isEnough(entry)) return;
      }
    }
  }
}

/** So many of the next that a page is in them, but one at least. */
function nextOf(ways: Way[]): readonly Way[] {
  const some: Way[] = [];
  let count = 0;
  while (count < entriesAtOnce) {
    const way = ways.pop();
    if (way === undefined) break;
    some.push(way);
    count += way.ref.count;
  }
  return some;
}

/** The last first. On the border only what is not wholly before the place. */
function waysBelow(
  node: Branch,
  { depth, isBorder }: Way,
  after: Uint8Array | null,
): readonly Way[] {
  const border = isBorder ? (after?.[depth] ?? 0) : -1;
  return node
    .bytes()
    .filter((byte) => byte >= border)
    .reverse()
    .flatMap((byte) => {
      const ref = node.child(byte);
      return ref === null ? [] : [{ ref, depth: depth + 1, isBorder: byte === border }];
    });
}

function addTo(below: Map<number, NodeRef[]>, byte: number, child: NodeRef | null): void {
  if (child === null) return;
  const group = below.get(byte);
  if (group === undefined) below.set(byte, [child]);
  else group.push(child);
}

function distinct(refs: readonly NodeRef[]): readonly NodeRef[] {
  if (refs.length < 2) return refs;
  return [...new Map(refs.map((ref) => [hex(ref.hash), ref])).values()];
}
