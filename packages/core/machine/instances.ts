import type { Loading } from "./ask.ts";
import {
  type Cell,
  type CellStatus,
  cellIdOf,
  type Failure,
  type Mail,
  newCell,
  statusOf,
} from "./cell.ts";
import type { CellName, Kernel } from "./kernel.ts";
import { type CellEntry, readCellEntry } from "./state/cell-entry.ts";
import { loadNamed, placeOfCell } from "./state/load-cells.ts";
import { findInIndex, walkIndexes } from "./state/read-index.ts";

/** One instance as people see it. */
export type InstanceView = {
  readonly id: string;
  readonly machine: string;
  readonly key: Uint8Array | null;
  readonly status: CellStatus;
  readonly stateBytes: number;
  readonly openIntents: readonly Uint8Array[];
  readonly mailboxCount: number;
  readonly lastEventSeq: number;
  readonly moduleVersion: string;
};

/** Sorted by id. No state is read for it. */
export function* instancesOf(kernel: Kernel): Loading<readonly InstanceView[]> {
  const views = new Map<string, InstanceView>();
  for (const [machine, root] of kernel.roots) {
    const entries: CellEntry[] = [];
    yield* walkIndexes([root], {
      node: () => {},
      entries: (some) => void entries.push(...some.map(({ value }) => readCellEntry(value))),
    });
    for (const entry of entries) {
      const id = cellIdOf(machine, entry.key);
      if (kernel.dirty.has(id)) continue;
      views.set(id, viewOf(kernel, keptCell(kernel, machine, entry), Number(entry.size)));
    }
  }
  for (const cell of kernel.cells.values()) {
    if (!views.has(cell.id)) views.set(cell.id, viewOf(kernel, cell, cell.state?.length ?? 0));
  }
  return [...views.values()].sort((left, right) => (left.id < right.id ? -1 : 1));
}

/** What the index says of it, with what waits here. */
export function keptCell(kernel: Kernel, machine: string, entry: CellEntry): Cell {
  const here = kernel.cells.get(cellIdOf(machine, entry.key)) ?? newCell(machine, entry.key);
  const { completed, last_event_seq, module_version: moduleVersion } = entry;
  return { ...here, completed, lastEventSeq: Number(last_event_seq), moduleVersion };
}

export function viewOf(kernel: Kernel, cell: Cell, stateBytes: number): InstanceView {
  const { id, machine, key, lastEventSeq, moduleVersion } = cell;
  return {
    id,
    machine,
    key,
    status: statusOf(cell),
    stateBytes,
    openIntents: [...cell.open].sort().flatMap((open) => kernel.intents.get(open)?.hash ?? []),
    mailboxCount: cell.mailbox.count,
    lastEventSeq,
    moduleVersion,
  };
}

/** In their order, without reading their states; null = there is no such cell. */
export function* viewInstances(
  kernel: Kernel,
  names: readonly CellName[],
): Loading<readonly (InstanceView | null)[]> {
  const views = new Map<string, InstanceView>();
  const away = new Map<string, CellName[]>();
  for (const name of names) {
    const id = cellIdOf(name.machine, name.key);
    const here = kernel.cells.get(id);
    if (here !== undefined) views.set(id, viewOf(kernel, here, here.state?.length ?? 0));
    const isKnown = here === undefined ? kernel.dirty.has(id) : !here.isAway;
    if (!isKnown) away.set(name.machine, [...(away.get(name.machine) ?? []), name]);
  }
  for (const [machine, some] of away) {
    const places = some.map(({ key }) => placeOfCell(key));
    const found = yield* findInIndex(kernel.roots.get(machine) ?? null, places, kernel.nodes);
    for (const value of found) {
      if (value === null) continue;
      const entry = readCellEntry(value);
      const view = viewOf(kernel, keptCell(kernel, machine, entry), Number(entry.size));
      views.set(view.id, view);
    }
  }
  return names.map(({ machine, key }) => views.get(cellIdOf(machine, key)) ?? null);
}

/** How many there are of each status. Of those that are not at hand none is held. */
export function* countInstances(kernel: Kernel): Loading<ReadonlyMap<CellStatus, number>> {
  const counts = new Map<CellStatus, number>();
  const counted = new Set<string>();
  const add = (cell: Cell) => {
    const status = statusOf(cell);
    counts.set(status, (counts.get(status) ?? 0) + 1);
  };
  for (const [machine, root] of kernel.roots) {
    yield* walkIndexes([root], {
      node: () => {},
      entries: (some) => {
        for (const { value } of some) {
          const entry = readCellEntry(value);
          const id = cellIdOf(machine, entry.key);
          if (kernel.dirty.has(id)) continue;
          if (kernel.cells.has(id)) counted.add(id);
          add(keptCell(kernel, machine, entry));
        }
      },
    });
  }
  for (const cell of kernel.cells.values()) if (!counted.has(cell.id)) add(cell);
  return counts;
}

export type FoundInstance = InstanceView & {
  readonly state: Uint8Array | null;
  readonly failed: Failure | null;
  /** The first of what waits, in order. */
  readonly mailbox: readonly Mail[];
};

/** So much of a mailbox is looked at. */
const mailShownMax = 50;

/** Null = there is no such cell. */
export function* findInstance(kernel: Kernel, name: CellName): Loading<FoundInstance | null> {
  yield* loadNamed(kernel, name);
  const cell = kernel.cells.get(cellIdOf(name.machine, name.key));
  if (cell === undefined) return null;
  const { state, failed } = cell;
  const mailbox = cell.mailbox.entries().slice(0, mailShownMax);
  return { ...viewOf(kernel, cell, state?.length ?? 0), state, failed, mailbox };
}
