import type { Hash } from "../canonical/index.ts";
import type { Loading } from "./ask.ts";
import { hashBytes, hashOfBytes } from "./hash-bytes.ts";
import { readRoots } from "./snapshot.ts";
import { readCellEntry } from "./state/cell-entry.ts";
import type { IndexRoot } from "./state/index-node.ts";
import { loadParts } from "./state/load.ts";
import { walkIndexes } from "./state/read-index.ts";

export type PartVisitor = {
  /** Was read on the way, and is what its hash says. */
  readonly node: (hash: Hash) => void;
  /** Is named, and was not read. */
  readonly states: (hashes: readonly Hash[]) => void;
};

/**
 * Every part that these snapshots name, along references alone that are known to be such: children
 * of nodes and states of cells. What only looks like a hash is none. Nodes come once; a state comes
 * as often as it is named.
 */
export function* walkSnapshots(
  snapshots: readonly Uint8Array[],
  visitor: PartVisitor,
): Loading<void> {
  const cells = new Map<string, IndexRoot[]>();
  const settled: IndexRoot[] = [];
  for (const { roots, settledRoot } of snapshots.map(readRoots)) {
    for (const [machine, root] of roots) {
      const own = cells.get(machine) ?? [];
      cells.set(machine, own);
      own.push(root);
    }
    settled.push(settledRoot);
  }
  const { node } = visitor;
  for (const roots of cells.values()) {
    yield* walkIndexes(roots, {
      node,
      entries: (some) =>
        visitor.states(some.map(({ value }) => hashOfBytes(readCellEntry(value).state_hash))),
    });
  }
  yield* walkIndexes(settled, { node, entries: () => {} });
}

const statesAtOnce = 64;

/** Reads all that a snapshot names, and throws for the first part that is not as it was kept. */
export function* checkParts(snapshot: Uint8Array): Loading<void> {
  const waiting: Hash[] = [];
  const walk = walkSnapshots([snapshot], {
    node: () => {},
    states: (hashes) => void waiting.push(...hashes),
  });
  let next = walk.next();
  while (!next.done) {
    next = walk.next(yield next.value);
    while (waiting.length > 0) yield* loadParts(waiting.splice(-statesAtOnce).map(hashBytes));
  }
}
