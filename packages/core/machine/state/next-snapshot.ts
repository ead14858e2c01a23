/**
 * The next snapshot, as far as it is made. A snapshot of much that changed takes longer than a step
 * may wait, so its parts can be kept piece by piece before it is taken. The roots that are in force
 * stay what they were until then, and what changes once more is kept once more.
 */
import { sha256 } from "../../canonical/index.ts";
import type { Loading } from "../ask.ts";
import { hashOfBytes } from "../hash-bytes.ts";
import { unhex } from "../hex.ts";
import type { DirtyCell, Kernel } from "../kernel.ts";
import type { NodeRef } from "./branch.ts";
import { cellEntry, settledEntry } from "./cell-entry.ts";
import type { IndexRoot } from "./index-node.ts";
import type { Part } from "./load.ts";
import { placeOfCell } from "./load-cells.ts";
import { type IndexChange, updateIndex } from "./update-index.ts";

export class NextSnapshot {
  readonly roots = new Map<string, IndexRoot>();
  /** Absent = it is the one in force. */
  settledRoot?: IndexRoot;
  /** Cells and intents that these roots have as they are now. */
  readonly cells = new Set<string>();
  readonly settled = new Set<string>();
  /** Cells that come next, the first at the end. */
  readonly waiting: string[] = [];
  /** Nodes that nobody will look for once the roots in force are these. */
  readonly replaced: NodeRef[] = [];
}

/** What a snapshot that is taken now would still have to keep. */
export function unkeptCount({ dirty, settled, next }: Kernel): number {
  return dirty.size - next.cells.size + settled.size - next.settled.size;
}

/**
 * So many of the changes go into the next snapshot. The parts have to be kept, and to be there
 * still when it is: who cannot be sure of that calls `forgetPieces`.
 */
export function* keepPiece(kernel: Kernel, countMax: number): Loading<readonly Part[]> {
  const parts: Part[] = [];
  const cells = nextCells(kernel, countMax);
  yield* keepCells(kernel, cells, parts);
  yield* keepSettled(kernel, unkeptSettled(kernel).slice(0, countMax - cells.length), parts);
  return parts;
}

/** Nothing of it is kept: it begins anew with the next piece. */
export function forgetPieces(kernel: Kernel): void {
  kernel.next = new NextSnapshot();
}

/** All that is left; then the roots in force are those of this snapshot. */
export function* keepRest(kernel: Kernel): Loading<readonly Part[]> {
  const parts: Part[] = [];
  const { dirty, next } = kernel;
  const cells = [...dirty.keys()].filter((id) => !next.cells.has(id));
  yield* keepCells(kernel, cells, parts);
  yield* keepSettled(kernel, unkeptSettled(kernel), parts);
  for (const [machine, root] of next.roots) kernel.roots.set(machine, root);
  if (next.settledRoot !== undefined) kernel.settledRoot = next.settledRoot;
  kernel.nodes.drop(next.replaced);
  kernel.next = new NextSnapshot();
  kernel.dirty.clear();
  kernel.dirtyBytes = 0;
  kernel.settled.clear();
  return parts;
}

/** Neighbors in the index come together, so that a branch is written in few of the pieces. */
function nextCells(kernel: Kernel, countMax: number): readonly string[] {
  const { dirty, next } = kernel;
  if (next.waiting.length === 0) {
    const placed = [...dirty].flatMap(([id, cell]) => {
      if (next.cells.has(id)) return [];
      return [{ id, machine: cell.machine, first: placeOf(cell)[0] ?? 0 }];
    });
    placed.sort((left, right) => {
      if (left.machine !== right.machine) return left.machine < right.machine ? 1 : -1;
      return right.first - left.first;
    });
    for (const { id } of placed) next.waiting.push(id);
  }
  return next.waiting.splice(-countMax).filter((id) => !next.cells.has(id));
}

/** It stays with the cell until the snapshot has it. */
function placeOf(cell: DirtyCell): Uint8Array {
  cell.place ??= placeOfCell(cell.key);
  return cell.place;
}

/** States first, then the ways to them, machine by machine. */
function* keepCells(kernel: Kernel, ids: readonly string[], parts: Part[]): Loading<void> {
  const { next } = kernel;
  const changes = new Map<string, IndexChange[]>();
  for (const id of ids) {
    const name = kernel.dirty.get(id);
    if (name === undefined) continue;
    const own = changes.get(name.machine) ?? [];
    changes.set(name.machine, own);
    own.push({ at: placeOf(name), value: keptCell(kernel, id, name, parts) });
    next.cells.add(id);
  }
  for (const [machine, own] of changes) {
    const before = next.roots.get(machine) ?? rootInForce(kernel, machine);
    const { root, written, replaced } = yield* updateIndex(before, own, kernel.nodes);
    next.roots.set(machine, root);
    for (const part of written) parts.push(part);
    for (const ref of replaced) next.replaced.push(ref);
  }
}

function rootInForce({ next, roots }: Kernel, machine: string): IndexRoot {
  return next.roots.has(machine) ? null : (roots.get(machine) ?? null);
}

/** Null = it has ended. */
function keptCell(
  { cells }: Kernel,
  id: string,
  { stateHash }: DirtyCell,
  parts: Part[],
): Uint8Array | null {
  const cell = cells.get(id);
  if (cell === undefined || cell.state === null) return null;
  const hash = stateHash ?? sha256(cell.state);
  parts.push({ hash: hashOfBytes(hash), bytes: cell.state });
  return cellEntry(cell, hash, cell.state.length);
}

function unkeptSettled({ settled, next }: Kernel): readonly string[] {
  return [...settled.keys()].filter((id) => !next.settled.has(id)).sort();
}

function* keepSettled(kernel: Kernel, ids: readonly string[], parts: Part[]): Loading<void> {
  const { next, settled } = kernel;
  const changes = ids.flatMap((id) => {
    const whose = settled.get(id);
    return whose === undefined ? [] : [{ at: unhex(id), value: settledEntry(whose) }];
  });
  if (changes.length === 0) return;
  const { settledRoot: before = kernel.settledRoot } = next;
  const { root, written, replaced } = yield* updateIndex(before, changes, kernel.nodes);
  next.settledRoot = root;
  for (const id of ids) next.settled.add(id);
  for (const part of written) parts.push(part);
  for (const ref of replaced) next.replaced.push(ref);
}
