import type { LedgerState, MutationRow, Store } from "@holdfast/core";
import type { CallItem, Filter, Page } from "./answers.ts";
import { callItems, inList } from "./call-items.ts";
import { readerOf, seqOfId, walkFacts } from "./fact-list.ts";
import { FoundRows, row } from "./found-rows.ts";
import { operationName } from "./items.ts";
import { allOf, havingText, pageOf, readPage } from "./paged-list.ts";

/** The ledger, newest first. */
export async function listMutations(
  store: Store,
  workflow: string,
  query: Filter & { readonly state: LedgerState | null },
): Promise<Page<CallItem>> {
  const { state } = query;
  const isApart = state !== null && state !== "applied";
  const reader = isApart
    ? readerOf(store, workflow, { list: "openMutations", of: [state], as: (call) => call })
    : readerOf(store, workflow, { list: "mutations", of: [], as: (call) => call });
  const pick = allOf<MutationRow>(
    state === "applied" ? (call) => call.state === state : null,
    havingText(query.text, (call) => {
      return [call.mutationId, call.runId, operationName(call), call.target, call.uiTitle];
    }),
  );
  const seqOf = ({ mutationId }: MutationRow) => seqOfId(mutationId);
  const walk = await walkFacts(store, workflow, { readers: [reader], filter: query, seqOf, pick });
  const found = await readPage(walk, query);
  return pageOf(await callItems(store, workflow, found.rows, inList), found);
}

/** Null = there is no such call. */
export async function showMutation(
  store: Store,
  workflow: string,
  mutationId: string,
): Promise<CallItem | null> {
  const found = new FoundRows(store, workflow);
  await found.load([row("mutations", mutationId)]);
  const [item] = await callItems(store, workflow, found.rows("mutations"));
  return item ?? null;
}
