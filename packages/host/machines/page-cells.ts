import { decodeCanonical, HostError, type Store } from "@holdfast/core";
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
import { type KernelParts, type OpenedKernel, openKernel } from "./open-kernel.ts";
import { type ShownCell, shownCell } from "./show-cell.ts";

type Parts = KernelParts & { readonly store: Store };

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

/** Machine by machine, in the order of their indexes. */
export async function pageCells(parts: Parts, query: CellPageQuery): Promise<CellPage> {
  const opened = await openKernel(parts);
  const from = placeOf(query.after);
  const machines = await machinesOf(opened, query, from?.machine ?? null);
  const items: ShownCell[] = [];
  for (const machine of machines) {
    const limit = query.limit - items.length;
    if (limit === 0) return { items, next: `${machine}~` };
    const page = await opened.driver.drive(
      opened.kernel,
      cellsAfter(opened.kernel, {
        machine,
        after: from?.machine === machine ? from.at : null,
        limit,
        lookedAtMax,
        isBusy: query.status === "failed" || query.status === "waiting",
        isWanted: wantedBy(query),
      }),
    );
    items.push(...page.items.map(shownCell));
    if (page.next !== null) return { items, next: `${machine}~${hex(page.next)}` };
  }
  return { items, next: null };
}

async function machinesOf(
  { kernel, driver }: OpenedKernel,
  { machine }: CellPageQuery,
  from: string | null,
): Promise<readonly string[]> {
  if (machine !== null) return [machine];
  const counts = await driver.drive(kernel, countMachines(kernel));
  return counts.map((each) => each.machine).filter((name) => from === null || name >= from);
}

type Place = { readonly machine: string; readonly at: Uint8Array | null };

/** Null = there is none. */
function placeOf(after: string | null): Place | null {
  if (after === null) return null;
  const [, machine = "", at = ""] = /^([^~]+)~([0-9a-f]{64})?$/.exec(after) ?? [];
  if (machine !== "") return { machine, at: at === "" ? null : unhex(at) };
  throw new HostError("CURSOR_UNKNOWN", {
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
export async function showMachines(parts: Parts): Promise<readonly ShownMachine[]> {
  const { kernel, driver } = await openKernel(parts);
  const counts = await driver.drive(kernel, countMachines(kernel));
  return counts.map((each) => {
    const machine = kernel.set.machines.get(each.machine);
    return { ...each, isKeyed: machine?.key != null, isDeclared: machine !== undefined };
  });
}
