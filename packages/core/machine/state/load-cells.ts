import { sha256 } from "../../canonical/index.ts";
import type { Loading } from "../ask.ts";
import { type Cell, cellIdOf } from "../cell.ts";
import { hex } from "../hex.ts";
import type { Input } from "../input.ts";
import type { CellName, Kernel } from "../kernel.ts";
import type { MachineSet } from "../machine-set.ts";
import { machinesWithOtherState } from "../obstacles.ts";
import { type CellEntry, readCellEntry, readSettledEntry } from "./cell-entry.ts";
import { loadParts } from "./load.ts";
import { findInIndex, walkIndexes } from "./read-index.ts";
import { noteResident } from "./resident-cells.ts";

/** Where the index has a cell; a machine without keys has one, under no bytes at all. */
export function placeOfCell(key: Uint8Array | null): Uint8Array {
  return sha256(key ?? noKey);
}

const noKey = new Uint8Array();

/** Hashed once for as long as the cell is at hand. */
function placeOf(cell: Cell): Uint8Array {
  cell.place ??= placeOfCell(cell.key);
  return cell.place;
}

/** Cells that are looked up together, and states that are read together. */
const cellsAtOnce = 256;
const bytesAtOnce = 4 * 1024 * 1024;

/** Of the cell whose turn it is. To ask is less than to begin with loading, and most are not. */
export function isReadyAway({ ring, cells }: Kernel): boolean {
  for (const first of ring) return cells.get(first)?.isAway === true;
  return false;
}

/**
 * Cells whose turn is soon, so that they come in one go, and before their turn has come: whoever
 * runs steps ahead needs their states.
 */
export function* loadAhead(kernel: Kernel): Loading<void> {
  const away: Cell[] = [];
  for (const id of kernel.ring) {
    const cell = kernel.cells.get(id);
    if (cell?.isAway) away.push(cell);
    if (away.length === cellsAtOnce) break;
  }
  if (away.length > 0) yield* loadCells(kernel, away);
}

/** As many as fit into memory comfortably, but the first at least. */
function* loadCells(kernel: Kernel, cells: readonly Cell[]): Loading<void> {
  const entries = yield* findEntries(kernel, cells);
  const some: { readonly cell: Cell; readonly entry: CellEntry | null }[] = [];
  let total = 0;
  for (const [at, cell] of cells.entries()) {
    const entry = entries[at] ?? null;
    total += Number(entry?.size ?? 0n);
    if (some.length > 0 && total > bytesAtOnce) break;
    some.push({ cell, entry });
  }
  const wanted = some.flatMap(({ entry }) => entry ?? []);
  const states = yield* loadParts(wanted.map(({ state_hash }) => state_hash));
  const stateOf = new Map(wanted.map((entry, at) => [entry, states[at] ?? null]));
  for (const { cell, entry } of some) {
    cell.isAway = false;
    if (entry === null) continue;
    cell.state = stateOf.get(entry) ?? null;
    cell.completed = entry.completed;
    cell.lastEventSeq = Number(entry.last_event_seq);
    cell.moduleVersion = entry.module_version;
    noteResident(kernel, cell);
  }
}

/** In the order of the cells; null = the index does not have it. */
function* findEntries(
  kernel: Kernel,
  cells: readonly Cell[],
): Loading<readonly (CellEntry | null)[]> {
  const found = new Map<Cell, CellEntry>();
  for (const machine of new Set(cells.map((cell) => cell.machine))) {
    const own = cells.filter((cell) => cell.machine === machine);
    const places = own.map(placeOf);
    const values = yield* findInIndex(kernel.roots.get(machine) ?? null, places, kernel.nodes);
    for (const [at, cell] of own.entries()) {
      const value = values[at] ?? null;
      if (value !== null) found.set(cell, readCellEntry(value));
    }
  }
  return cells.map((cell) => found.get(cell) ?? null);
}

/** Every cell whose state another version may read otherwise. */
export function* loadToFit(kernel: Kernel, set: MachineSet): Loading<void> {
  yield* loadEvery(kernel, machinesWithOtherState(kernel.set, set));
}

/** Whether something may have to be loaded for it; events are judged by what they say. */
export function wantsPast({ kind }: Input): boolean {
  return kind !== "event" && kind !== "direct";
}

/** What has to be known of the past before an input can be judged. */
export function* loadFor(kernel: Kernel, input: Input): Loading<void> {
  if (input.kind === "restart") return yield* loadNamed(kernel, input);
  if (input.kind === "manifest") {
    if (input.applied != null) yield* loadToFit(kernel, input.set);
    return;
  }
  if (input.kind !== "receipt" && input.kind !== "cancel") return;
  const id = hex(input.intentHash);
  if (kernel.intents.has(id) || kernel.settled.has(id)) return;
  const [value = null] = yield* findInIndex(kernel.settledRoot, [input.intentHash]);
  if (value !== null) kernel.settled.set(id, readSettledEntry(value));
}

/** All cells of some machines, for who has to look at each of them. */
function* loadEvery(kernel: Kernel, machines: Iterable<string>): Loading<void> {
  for (const machine of machines) {
    const root = kernel.roots.get(machine) ?? null;
    // One that has no state yet, and something that waits for it, is in no index.
    const known = [...kernel.cells.values()].filter((cell) => cell.machine === machine);
    let away = known.filter(({ isAway }) => isAway);
    const seen = new Set(away);
    yield* walkIndexes(root === null ? [] : [root], {
      node: () => {},
      entries: (some) => {
        for (const { value } of some) {
          const { key } = readCellEntry(value);
          if (kernel.dirty.has(cellIdOf(machine, key))) continue;
          const cell = kernel.cellFor(machine, key);
          if (cell.isAway && !seen.has(cell)) away.push(cell);
        }
      },
    });
    while (away.length > 0) {
      yield* loadCells(kernel, away.slice(0, cellsAtOnce));
      away = away.filter(({ isAway }) => isAway);
    }
  }
}

/** Of a cell that is not there nothing is left behind. */
export function* loadNamed(kernel: Kernel, { machine, key }: CellName): Loading<void> {
  const cell = kernel.cellFor(machine, key);
  if (cell.isAway) yield* loadCells(kernel, [cell]);
  kernel.forgetEmpty(cell);
}
