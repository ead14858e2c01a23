import type { Loading } from "./ask.ts";
import { type Cell, cellIdOf, isIdle } from "./cell.ts";
import { type InstanceView, keptCell, viewOf } from "./instances.ts";
import type { Kernel } from "./kernel.ts";
import { readCellEntry } from "./state/cell-entry.ts";
import { compareBytes } from "./state/index-node.ts";
import { placeOfCell } from "./state/load-cells.ts";
import { findInIndex, walkAfter } from "./state/read-index.ts";

export type CellsQuery = {
  readonly machine: string;
  /** Where the page before ended; null = this is the first. */
  readonly after: Uint8Array | null;
  readonly limit: number;
  /** Cells that are looked at, wanted or not: a page with few on it ends all the same. */
  readonly lookedAtMax: number;
  /** Only those that wait for something, or that something waits for: all of them are at hand. */
  readonly isBusy: boolean;
  readonly isWanted: (view: InstanceView) => boolean;
};

export type CellsPage = {
  readonly items: readonly InstanceView[];
  readonly next: Uint8Array | null; // null = that was all
};

type Placed = { readonly at: Uint8Array; readonly cell: Cell };

/** In the order of the index, so that a page costs what is on it, however many cells there are. */
export function* cellsAfter(kernel: Kernel, query: CellsQuery): Loading<CellsPage> {
  const here = cellsHere(kernel, query);
  const page = new PageBeingRead(query);
  if (query.isBusy) {
    for (const placed of here) {
      if (isIdle(placed.cell)) continue;
      if (page.isEnough(placed.at, yield* viewOfHere(kernel, placed))) break;
    }
    return page;
  }
  let next = 0;
  /** Those before a place that the index does not have; null = all that are left. */
  const takeUpTo = (at: Uint8Array | null): boolean => {
    for (let one = here[next]; one !== undefined; one = here[next]) {
      if (at !== null && compareBytes(one.at, at) >= 0) return false;
      if (page.isEnough(one.at, viewOf(kernel, one.cell, one.cell.state?.length ?? 0))) return true;
      next++;
    }
    return false;
  };
  const { machine, after } = query;
  yield* walkAfter(kernel.roots.get(machine) ?? null, after, ({ at, value }) => {
    if (takeUpTo(at)) return true;
    const entry = readCellEntry(value);
    // What changed since has its turn among those that are here, or has ended.
    if (kernel.dirty.has(cellIdOf(machine, entry.key))) return false;
    const one = here[next];
    if (one !== undefined && compareBytes(one.at, at) === 0) next++;
    return page.isEnough(at, viewOf(kernel, keptCell(kernel, machine, entry), Number(entry.size)));
  });
  if (page.next === null) takeUpTo(null);
  return page;
}

function cellsHere(kernel: Kernel, { machine, after }: CellsQuery): readonly Placed[] {
  return [...kernel.cells.values()]
    .filter((cell) => cell.machine === machine)
    .map((cell) => ({ at: placeOfCell(cell.key), cell }))
    .filter(({ at }) => after === null || compareBytes(at, after) > 0)
    .sort((left, right) => compareBytes(left.at, right.at));
}

/** Of one that waits the state may be away. */
function* viewOfHere(kernel: Kernel, { at, cell }: Placed): Loading<InstanceView> {
  if (!cell.isAway) return viewOf(kernel, cell, cell.state?.length ?? 0);
  const [value = null] = yield* findInIndex(kernel.roots.get(cell.machine) ?? null, [at]);
  if (value === null) return viewOf(kernel, cell, 0);
  const entry = readCellEntry(value);
  return viewOf(kernel, keptCell(kernel, cell.machine, entry), Number(entry.size));
}

class PageBeingRead implements CellsPage {
  readonly items: InstanceView[] = [];
  next: Uint8Array | null = null;
  readonly #query: CellsQuery;
  #last: Uint8Array | null = null;
  #lookedAt = 0;

  constructor(query: CellsQuery) {
    this.#query = query;
  }

  /** That there is one more is known when it is there. */
  isEnough(at: Uint8Array, view: InstanceView): boolean {
    const { limit, lookedAtMax, isWanted } = this.#query;
    if (this.items.length === limit || this.#lookedAt === lookedAtMax) {
      this.next = this.#last;
      return true;
    }
    this.#last = at;
    this.#lookedAt++;
    if (isWanted(view)) this.items.push(view);
    return false;
  }
}

/** How much there is of one machine. */
export type MachineCounts = {
  readonly machine: string;
  readonly cells: number;
  readonly waiting: number; // events in mailboxes
  readonly openIntents: number;
  readonly failed: number;
};

/** Every machine that there is or was, by its name. No cell is read that is not at hand. */
export function* countMachines(kernel: Kernel): Loading<readonly MachineCounts[]> {
  const cells = [...kernel.cells.values()];
  const names = new Set([
    ...kernel.set.machines.keys(),
    ...kernel.roots.keys(),
    ...cells.map(({ machine }) => machine),
  ]);
  const counts: MachineCounts[] = [];
  for (const machine of [...names].sort()) {
    const own = cells.filter((cell) => cell.machine === machine);
    counts.push({
      machine,
      cells: yield* countCells(kernel, machine, own),
      waiting: own.reduce((sum, { mailbox }) => sum + mailbox.count, 0),
      openIntents: own.reduce((sum, { open }) => sum + open.size, 0),
      failed: own.filter(({ failed }) => failed !== null).length,
    });
  }
  return counts;
}

/** Those of the index, without what ended since, and with what is new. */
function* countCells(kernel: Kernel, machine: string, own: readonly Cell[]): Loading<number> {
  const root = kernel.roots.get(machine) ?? null;
  const changed = [...kernel.dirty.values()].filter((name) => name.machine === machine);
  const names = new Map([...changed, ...own].map((name) => [cellIdOf(machine, name.key), name]));
  const kept = yield* findInIndex(
    root,
    [...names.values()].map(({ key }) => placeOfCell(key)),
  );
  return (root?.count ?? 0) - kept.filter((value) => value !== null).length + own.length;
}
