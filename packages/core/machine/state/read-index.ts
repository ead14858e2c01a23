import type { Hash } from "../../canonical/index.ts";
import type { Loading } from "../ask.ts";
import { hashOfBytes } from "../hash-bytes.ts";
import { hex, sameBytes } from "../hex.ts";
import {
  compareBytes,
  type IndexEntry,
  type IndexNode,
  type IndexRoot,
  loadNodes,
  type NodeRef,
} from "./index-node.ts";

/** Nodes that were read, by the very reference that led to them. */
export type KnownNodes = Map<NodeRef, IndexNode>;

/** Some megabytes: as many leaves as some ten thousand cells have. */
const knownNodesMax = 512;

/** What is at each of these places, in their order; null = nothing is. */
export function* findInIndex(
  root: IndexRoot,
  places: readonly Uint8Array[],
  known: KnownNodes = new Map(),
): Loading<readonly (Uint8Array | null)[]> {
  const found: (Uint8Array | null)[] = places.map(() => null);
  let open = root === null ? [] : places.map((at, index) => ({ at, index, ref: root }));
  for (let depth = 0; open.length > 0; depth++) {
    const nodes = yield* readOnce(new Set(open.map(({ ref }) => ref)), known);
    const next: typeof open = [];
    for (const { at, index, ref } of open) {
      const node = nodes.get(ref);
      if (node === undefined) continue;
      if ("entries" in node) {
        found[index] = node.entries.find((entry) => sameBytes(entry.at, at))?.value ?? null;
        continue;
      }
      const child = node.children.get(at[depth] ?? 0);
      if (child !== undefined) next.push({ at, index, ref: child });
    }
    open = next;
  }
  return found;
}

/** The same reference is the same node: it was checked against its hash when it was first read. */
function* readOnce(refs: ReadonlySet<NodeRef>, known: KnownNodes): Loading<KnownNodes> {
  const nodes: KnownNodes = new Map();
  const unread: NodeRef[] = [];
  for (const ref of refs) {
    const node = known.get(ref);
    if (node === undefined) unread.push(ref);
    else nodes.set(ref, node);
  }
  if (unread.length === 0) return nodes;
  const read = yield* loadNodes(unread);
  if (known.size + unread.length > knownNodesMax) known.clear();
  for (const [at, ref] of unread.entries()) {
    const node = read[at];
    if (node === undefined) continue;
    nodes.set(ref, node);
    if (known.size < knownNodesMax) known.set(ref, node);
  }
  return nodes;
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
        else for (const [byte, child] of node.children) addTo(below, byte, child);
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
  node: Extract<IndexNode, { readonly children: unknown }>,
  { depth, isBorder }: Way,
  after: Uint8Array | null,
): readonly Way[] {
  const border = isBorder ? (after?.[depth] ?? 0) : -1;
  return [...node.children]
    .filter(([byte]) => byte >= border)
    .sort(([left], [right]) => right - left)
    .map(([byte, ref]) => ({ ref, depth: depth + 1, isBorder: byte === border }));
}

function addTo(below: Map<number, NodeRef[]>, byte: number, child: NodeRef): void {
  const group = below.get(byte);
  if (group === undefined) below.set(byte, [child]);
  else group.push(child);
}

function distinct(refs: readonly NodeRef[]): readonly NodeRef[] {
  if (refs.length < 2) return refs;
  return [...new Map(refs.map((ref) => [hex(ref.hash), ref])).values()];
}
