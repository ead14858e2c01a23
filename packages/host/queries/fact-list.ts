import {
  type Instant,
  invariant,
  type ListedTable,
  type ListName,
  placeAt,
  type Rows,
  type Seq,
  type Store,
} from "@holdfast/core";
import type { Filter } from "./answers.ts";
import type { Walk } from "./paged-list.ts";
import { readRecord } from "./read-record.ts";

/** Ids that the core gives out end in the position of the fact that made them. */
export function seqOfId(id: string): Seq {
  const seq = Number(id.slice(1));
  invariant(Number.isSafeInteger(seq), `${id} has a number`);
  return seq;
}

/** One of the store's lists whose rows stand in the order of the facts that made them. */
export type FactList<L extends ListName, R> = {
  readonly list: L;
  readonly of: readonly string[];
  readonly as: (row: Rows[ListedTable<L>]) => R;
};

export type SeqBounds = { readonly below: Seq | null; readonly from: Seq | null };

/** The same from a list of the store, once its bounds are known. */
export type SeqReader<R> = (bounds: SeqBounds, limit: number) => Promise<readonly R[]>;

export function readerOf<L extends ListName, R>(
  store: Pick<Store, "listRows">,
  workflow: string,
  { list, of, as }: FactList<L, R>,
): SeqReader<R> {
  return async ({ below, from }, limit) => {
    const after = below === null ? null : placeAt(list, below);
    const downTo = from === null ? null : placeAt(list, from);
    const rows = await store.listRows({ workflow, list, of, after, downTo, limit });
    return rows.map(as);
  };
}

/** Several lists as one, in the order of facts and between the times asked for. */
export async function walkFacts<R>(
  store: Store,
  workflow: string,
  parts: {
    readonly readers: readonly SeqReader<R>[];
    readonly filter: Filter;
    readonly seqOf: (row: R) => Seq;
    readonly pick?: Walk<R>["pick"];
  },
): Promise<Walk<R>> {
  const { readers, filter, seqOf, pick } = parts;
  const from = filter.from === undefined ? null : await seqAt(store, workflow, filter.from);
  const end = filter.to === undefined ? null : await seqAt(store, workflow, filter.to + 1);
  return {
    placeOf: (row) => [seqOf(row)],
    pick,
    read: async (after, limit) => {
      const place = after === null ? null : Number(after[0]);
      const below = place === null ? end : Math.min(place, end ?? place);
      const read = await Promise.all(readers.map((reader) => reader({ below, from }, limit)));
      const rows = read.flat();
      if (readers.length > 1) rows.sort((left, right) => seqOf(right) - seqOf(left));
      return rows.slice(0, limit);
    },
  };
}

/** Where the first fact from that time on stands, or would. Times in a journal never go back. */
export async function seqAt(store: Store, workflow: string, at: Instant): Promise<Seq> {
  const { head } = await store.load(workflow, []);
  return firstFrom(head.seq, async (seq) => {
    const record = await readRecord(store, workflow, seq);
    return record !== null && record.at >= at;
  });
}

/** The first of 1 to `last` of which it is true, as it is of all after it; last + 1 = of none. */
export async function firstFrom(
  last: number,
  isFrom: (no: number) => Promise<boolean>,
): Promise<number> {
  let [low, high] = [1, last + 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (await isFrom(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
