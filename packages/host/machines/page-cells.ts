import { decodeCanonical, HostError } from "@holdfast/core";
import {
  type CellStatus,
  cellsAfter,
  countMachines,
  hex,
  type InstanceView,
  type MachineCounts,
  unhex,
} from "@holdfast/core/machine";
import { plainValue } from "../queries/plain-value.ts";
import { type ReadParts, readKernel } from "./kept-kernels.ts";
import type { OpenedKernel } from "./open-kernel.ts";
import { type ShownCell, shownCell } from "./show-cell.ts";

export type CellPageQuery = {
  /** Null = all of them, by their names. */
  readonly machine: string | null;
  /** What the page before gave as its `next`; null = this is the first. */
  readonly after: string | null;
  readonly limit: number;
  readonly status: CellStatus | null;
  /** Stands in the key. */
  readonly text: string | null;
};

export type CellPage = {
  readonly items: readonly ShownCell[];
  readonly next: string | null;
};

/** Cells that one page looks at: of a hundred thousand few may be meant. */
const lookedAtMax = 20_000;

/**
 * Machine by machine; the cells of one by their keys where they are few, else in the order of its
 * index, so that a page costs what is on it.
 */
export function pageCells(parts: ReadParts, query: CellPageQuery): Promise<CellPage> {
  return readKernel(parts, (opened) => pageOf(opened, query));
}

async function pageOf(opened: OpenedKernel, query: CellPageQuery): Promise<CellPage> {
  const from = placeOf(query.after);
  const machines = await machinesOf(opened, query, from?.machine ?? null);
  const items: ShownCell[] = [];
  for (const { machine, cells } of machines) {
    const limit = query.limit - items.length;
    if (limit === 0) return { items, next: `${machine}~` };
    const after = from?.machine === machine ? from.at : "";
    const isOrdered = after === "" ? cells <= orderedMax : after.startsWith(byKey);
    const asked = { ...query, machine, after, limit };
    const page = isOrdered ? await keyPage(opened, asked) : await indexPage(opened, asked);
    items.push(...page.items);
    if (page.next !== null) return { items, next: `${machine}~${page.next}` };
  }
  return { items, next: null };
}

/** So many are put in the order of their keys. */
const orderedMax = 2_000;
/** What a place in that order begins with; in the other it is digits. */
const byKey = "=";

/** `after` is a place among the cells of the machine; empty = before the first. */
type OfMachine = CellPageQuery & { readonly machine: string; readonly after: string };

async function indexPage({ kernel, driver }: OpenedKernel, query: OfMachine): Promise<CellPage> {
  const { machine, after, limit } = query;
  const page = await driver.drive(
    kernel,
    cellsAfter(kernel, {
      machine,
      after: after === "" ? null : unhex(after),
      limit,
      lookedAtMax,
      isBusy: query.status === "failed" || query.status === "waiting",
      isWanted: wantedBy(query),
    }),
  );
  return { items: page.items.map(shownCell), next: page.next && hex(page.next) };
}

const collator = new Intl.Collator("en", { numeric: true });

/** As people count; what is the same to them is told apart all the same. */
function comparePlaces(left: string, right: string): number {
  return collator.compare(left, right) || (left < right ? -1 : Number(left > right));
}

async function keyPage(opened: OpenedKernel, query: OfMachine): Promise<CellPage> {
  const whole = { ...query, after: "", limit: lookedAtMax };
  const { items: all, next: isMore } = await indexPage(opened, whole);
  // There were few when the first page was asked for.
  if (isMore !== null) throw cursorUnknown(query.after);
  const ordered = all.toSorted((left, right) => comparePlaces(placeIn(left), placeIn(right)));
  const begin = ordered.findIndex((each) => comparePlaces(placeIn(each), query.after) > 0);
  const left = begin === -1 ? [] : ordered.slice(begin);
  const items = left.slice(0, query.limit);
  const last = items.at(-1);
  return { items, next: left.length > items.length && last !== undefined ? placeIn(last) : null };
}

function placeIn({ keyText: text }: ShownCell): string {
  return `${byKey}${text ?? ""}`;
}

async function machinesOf(
  { kernel, driver }: OpenedKernel,
  { machine }: CellPageQuery,
  from: string | null,
): Promise<readonly MachineCounts[]> {
  const counts = await driver.drive(kernel, countMachines(kernel));
  if (machine !== null) return counts.filter((each) => each.machine === machine);
  return counts.filter((each) => from === null || each.machine >= from);
}

type Place = { readonly machine: string; readonly at: string };

/** Null = there is none. */
function placeOf(after: string | null): Place | null {
  if (after === null) return null;
  const [, machine = "", at = ""] = /^([^~]+)~(=.*|[0-9a-f]{64})?$/s.exec(after) ?? [];
  if (machine !== "") return { machine, at };
  throw cursorUnknown(after);
}

function cursorUnknown(after: string): HostError {
  return new HostError("CURSOR_UNKNOWN", {
    what: `No page ended at ${JSON.stringify(after)}.`,
    remedy: "Begin with the first page.",
    retry: "safe",
  });
}

function wantedBy({ status, text }: CellPageQuery): (view: InstanceView) => boolean {
  const wanted = text?.toLowerCase() ?? "";
  return (view) => {
    if (status !== null && view.status !== status) return false;
    return wanted === "" || keyText(view.key).toLowerCase().includes(wanted);
  };
}

function keyText(key: Uint8Array | null): string {
  if (key === null) return "";
  const shown = plainValue(decodeCanonical(key));
  return typeof shown === "string" ? shown : JSON.stringify(shown);
}

export type ShownMachine = MachineCounts & {
  /** Whether it has a cell per key, or one alone. */
  readonly isKeyed: boolean;
  /** Whether the active version has it. */
  readonly isDeclared: boolean;
};

/** Every machine that there is or was, with how much there is of it. */
export function showMachines(parts: ReadParts): Promise<readonly ShownMachine[]> {
  return readKernel(parts, async ({ kernel, driver }) => {
    const counts = await driver.drive(kernel, countMachines(kernel));
    return counts.map((each) => {
      const machine = kernel.set.machines.get(each.machine);
      return { ...each, isKeyed: machine?.key != null, isDeclared: machine !== undefined };
    });
  });
}
