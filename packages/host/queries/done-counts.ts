import { type Instant, type LedgerState, placeAt, type Seq, type Store } from "@holdfast/core";
import { firstFrom } from "./fact-list.ts";
import { readRecord } from "./read-record.ts";

const hourMs = 3_600_000;
const hoursShown = 24;
/** The one that was asked for longest ago goes first. */
const keptCountMax = 5_000;
const countMax = Number.MAX_SAFE_INTEGER;

/** How many calls are done. */
export type Done = {
  readonly total: number;
  /** Of those that were recorded in each of the last 24 hours of the clock, the oldest first. */
  readonly hours: readonly number[];
};

export type DoneAt = {
  readonly head: { readonly seq: Seq; readonly at: Instant };
  readonly now: Instant;
};

/** Calls recorded by the facts from `from` on and before `below`; null = up to the newest. */
type Block = { readonly from: Seq; readonly below: Seq | null };
type Counted = { readonly recorded: number; readonly failed: number; readonly unsettled: number };

type Kept = {
  readonly head: Seq;
  readonly hour: number;
  readonly done: Done;
  /** By hour: where its first fact stands, and what was counted once it was over. */
  readonly starts: ReadonlyMap<number, Seq>;
  readonly hours: ReadonlyMap<number, Counted>;
  /** Of all before the hours that are shown. */
  readonly older: Counted & { readonly below: Seq };
};

/**
 * Counts what is done without reading it: by position in the ledger, from the indexes that lists
 * are made of. What was recorded stays recorded, so a part that is over is counted once; only what
 * is not settled in it is looked at again. A journal that has not moved costs nothing.
 */
export class DoneCounts {
  readonly #store: Pick<Store, "countRows" | "readJournal">;
  readonly #kept = new Map<string, Kept>();

  constructor(store: Pick<Store, "countRows" | "readJournal">) {
    this.#store = store;
  }

  async of(workflow: string, at: DoneAt): Promise<Done> {
    const hour = Math.floor(at.now / hourMs);
    const known = this.#kept.get(workflow);
    const isSame = known?.head === at.head.seq && known.hour === hour;
    const kept = isSame ? known : await this.#count(workflow, { ...at, hour, known });
    this.#kept.delete(workflow);
    this.#kept.set(workflow, kept);
    const [oldest] = this.#kept.keys();
    if (oldest !== undefined && this.#kept.size > keptCountMax) this.#kept.delete(oldest);
    return kept.done;
  }

  async #count(
    workflow: string,
    { head, hour, known }: DoneAt & { readonly hour: number; readonly known: Kept | undefined },
  ): Promise<Kept> {
    const first = hour - hoursShown + 1;
    const starts = new Map<number, Seq>();
    let from: Seq = 1;
    for (let each = first; each <= hour; each += 1) {
      from = known?.starts.get(each) ?? (await this.#startOf(workflow, { hour: each, from, head }));
      starts.set(each, from);
    }
    const below = starts.get(first) ?? 1;
    const same = known?.older.below === below ? known.older : undefined;
    const older = { ...(await this.#block(workflow, { from: 1, below }, same)), below };
    const hours = new Map<number, Counted>();
    for (const [each, start] of starts) {
      const end = starts.get(each + 1) ?? null;
      const before = end === null ? undefined : known?.hours.get(each);
      const wasOver = known !== undefined && each < known.hour;
      const block = { from: start, below: end };
      hours.set(each, await this.#block(workflow, block, wasOver ? before : undefined));
    }
    const counts = [...hours.values()].map(appliedOf);
    const total = counts.reduce((sum, count) => sum + count, appliedOf(older));
    return { head: head.seq, hour, done: { total, hours: counts }, starts, hours, older };
  }

  /** Where the first fact of the hour stands, or will; times in a journal never go back. */
  async #startOf(
    workflow: string,
    { hour, from, head }: { hour: number; from: Seq; head: DoneAt["head"] },
  ): Promise<Seq> {
    const at = hour * hourMs;
    if (head.at < at) return head.seq + 1;
    const before = from - 1;
    const found = await firstFrom(head.seq - before, async (no) => {
      const record = await readRecord(this.#store, workflow, before + no);
      return record !== null && record.at >= at;
    });
    return before + found;
  }

  async #block(workflow: string, block: Block, known: Counted | undefined): Promise<Counted> {
    if (known?.unsettled === 0) return known;
    const { from, below } = block;
    const range = {
      after: below === null ? null : placeAt("mutations", below),
      downTo: placeAt("mutations", from),
      limit: countMax,
    };
    const recorded =
      below !== null && below <= from
        ? 0
        : (known?.recorded ??
          (await this.#store.countRows({ workflow, list: "mutations", of: [], ...range })));
    if (recorded === 0) return { recorded, failed: 0, unsettled: 0 };
    const inState = (state: LedgerState) =>
      this.#store.countRows({ workflow, list: "openMutations", of: [state], ...range });
    const [failed = 0, ...others] = await Promise.all(
      ["failed" as const, ...unsettled].map(inState),
    );
    return { recorded, failed, unsettled: others.reduce((sum, count) => sum + count, 0) };
  }
}

const unsettled = [
  "awaiting_approval",
  "ready",
  "in_flight",
  "needs_reconcile",
  "indeterminate",
] as const satisfies readonly LedgerState[];

function appliedOf({ recorded, failed, unsettled: open }: Counted): number {
  return recorded - failed - open;
}
