import type { ListName, RunRow, RunStatus, Store } from "@holdfast/core";
import type { Filter, Page, RunItem } from "./answers.ts";
import { readerOf, seqOfId, walkFacts } from "./fact-list.ts";
import { runItem } from "./items.ts";
import { allOf, havingText, pageOf, readPage } from "./paged-list.ts";

export type RunFilter = Filter & {
  readonly status: RunStatus | "open" | null;
  readonly handler?: string | undefined;
};

export async function listRuns(
  store: Store,
  workflow: string,
  query: RunFilter,
): Promise<Page<RunItem>> {
  const { status, handler } = query;
  const { list, of } = listOf(status);
  const reader = readerOf(store, workflow, { list, of, as: (row) => row });
  const pick = allOf<RunRow>(
    list === "badRuns" || status === null || status === "open"
      ? null
      : (row) => row.status === status,
    handler === undefined ? null : (row) => row.handler === handler,
    havingText(query.text, (row) => [row.runId, row.uiTitle, row.handler, row.mutationId]),
  );
  const walk = await walkFacts(store, workflow, {
    readers: [reader],
    filter: query,
    seqOf: ({ runId }) => seqOfId(runId),
    pick,
  });
  const found = await readPage(walk, query);
  return pageOf(found.rows.map(runItem), found);
}

/** What moves or waits is open, and that is one run at most. */
function listOf(status: RunFilter["status"]): {
  readonly list: Extract<ListName, "runs" | "openRuns" | "badRuns">;
  readonly of: readonly string[];
} {
  switch (status) {
    case null:
    case "committed":
      return { list: "runs", of: [] };
    case "failed:logic":
    case "failed:internal":
    case "crashed":
    case "aborted":
      return { list: "badRuns", of: [status] };
    default:
      return { list: "openRuns", of: [] };
  }
}
