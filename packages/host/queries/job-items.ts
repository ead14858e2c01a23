import {
  fitsForms,
  type HandlerRow,
  type ItemRow,
  type ItemStatus,
  isItemDone,
  type Store,
} from "@holdfast/core";
import type { CallItem, Filter, Page } from "./answers.ts";
import { callItems } from "./call-items.ts";
import { readerOf, seqOfId, walkFacts } from "./fact-list.ts";
import { FoundRows, row } from "./found-rows.ts";
import type { JobItem, JobItemDetail } from "./job-item-answers.ts";
import { allOf, havingText, pageOf, readPage } from "./paged-list.ts";

/** What the jobs of a workflow work on, the newest first. */
export async function listJobItems(
  store: Store,
  workflow: string,
  query: Filter & { readonly status: ItemStatus | null; readonly job?: string | undefined },
): Promise<Page<JobItem>> {
  const { status, job, text } = query;
  const isApart = status !== null && status !== "done";
  const reader = isApart
    ? readerOf(store, workflow, { list: "itemsNotDone", of: [status], as: (item) => item })
    : readerOf(store, workflow, { list: "items", of: [], as: (item) => item });
  const pick = allOf<ItemRow>(
    status === "done" ? (item) => item.status === status : null,
    job === undefined ? null : (item) => item.handler === job,
    havingText(text, ({ itemId, title }) => [itemId, title]),
  );
  const seqOf = ({ position }: ItemRow) => position;
  const walk = await walkFacts(store, workflow, { readers: [reader], filter: query, seqOf, pick });
  const found = await readPage(walk, query);
  const handlers = await handlersOf(store, workflow);
  return pageOf(
    found.rows.map((item) => jobItem(item, handlers.get(item.handler))),
    found,
  );
}

async function handlersOf(store: Store, workflow: string) {
  const handlers = new Map<string, HandlerRow>();
  for await (const each of store.scan(workflow, "handlers")) handlers.set(each.name, each);
  return handlers;
}

/** One item with all its attempts and what each has done outside; null = there is none. */
export async function showJobItem(
  store: Store,
  workflow: string,
  itemId: string,
): Promise<JobItemDetail | null> {
  const found = new FoundRows(store, workflow);
  await found.load([{ kind: "base" }, { kind: "item", itemId, everyAttempt: true }]);
  const item = found.find("items", itemId);
  if (item === null) return null;
  const own = found
    .rows("mutations")
    .filter((mutation) => mutation.itemId === itemId)
    .sort((a, b) => seqOfId(a.mutationId) - seqOfId(b.mutationId));
  await found.load(own.map(({ runId }) => row("runs", runId)));
  const calls = await callItems(store, workflow, own);
  const attempts = Array.from({ length: item.attempt }, (_, index) => {
    const made = own.filter(({ attempt }) => attempt === index + 1);
    const ofAttempt = calls.filter(({ mutationId }) =>
      made.some((mutation) => mutation.mutationId === mutationId),
    );
    return { attempt: index + 1, versions: versionsOf(found, ofAttempt), calls: ofAttempt };
  });
  const handler = found.find("handlers", item.handler) ?? undefined;
  return { ...jobItem(item, handler), workflow, attempts: attempts.reverse() };
}

/** Of the script that made the calls, in the order in which it came. */
function versionsOf(found: FoundRows, calls: readonly CallItem[]): readonly string[] {
  const versions = calls.flatMap(({ runId }) => found.find("runs", runId)?.version ?? []);
  return [...new Set(versions)];
}

export function jobItem(item: ItemRow, handler: HandlerRow | undefined): JobItem {
  const { itemId, title, handler: job, status, attempt, createdBy, lastRunId } = item;
  const { mutationId, createdAt, updatedAt } = item;
  const freshFrom = handler?.freshFrom ?? null;
  const startsFresh = freshFrom !== null && item.touchedSeq < freshFrom;
  const isDone = isItemDone(item) && !startsFresh;
  const isOrphan = handler !== undefined && !(handler.declared && fitsForms(itemId, handler.forms));
  return {
    itemId,
    title,
    job,
    status,
    attempt,
    isDone,
    startsFresh,
    isOrphan,
    createdBy,
    lastRunId,
    mutationId,
    createdAt,
    updatedAt,
  };
}
