import type { Store } from "@holdfast/core";
import type { Filter, Page, RecordItem } from "./answers.ts";
import { type SeqReader, walkFacts } from "./fact-list.ts";
import { allOf, havingText, pageOf, readPage } from "./paged-list.ts";
import { recordItem } from "./read-facts.ts";

export type FactFilter = Filter & {
  /** With which the kind begins: `run` is all of `run_started` and the like. */
  readonly kind?: string | undefined;
};

/** What is recorded of a workflow, the newest first. */
export async function listFacts(
  store: Store,
  workflow: string,
  query: FactFilter,
): Promise<Page<RecordItem>> {
  const { kind, text } = query;
  const pick = allOf<RecordItem>(
    kind === undefined ? null : (record) => record.kind.startsWith(kind),
    havingText(text, (record) => [record.kind, JSON.stringify(record.fact)]),
  );
  const seqOf = ({ seq }: RecordItem) => seq;
  const readers = [await readerFrom(store, workflow)];
  const walk = await walkFacts(store, workflow, { readers, filter: query, seqOf, pick });
  const found = await readPage(walk, query);
  return pageOf(found.rows, found);
}

/** Backwards from the head of now: positions have no gaps. */
async function readerFrom(store: Store, workflow: string): Promise<SeqReader<RecordItem>> {
  const { head } = await store.load(workflow, []);
  return async ({ below, from }, limit) => {
    const end = Math.min(below ?? Number.POSITIVE_INFINITY, head.seq + 1) - 1;
    const after = Math.max(end - limit, (from ?? 1) - 1, 0);
    if (end <= after) return [];
    const entries = await store.readJournal(workflow, after, end - after);
    return entries.map((entry) => recordItem(workflow, entry)).reverse();
  };
}
