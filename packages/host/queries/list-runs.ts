import type { RunRow, RunStatus, Store } from "@holdfast/core";
import type { Page, PageQuery, RunItem } from "./answers.ts";
import { runItem } from "./items.ts";
import { Newest, rankOfId } from "./newest.ts";

export async function listRuns(
  store: Pick<Store, "scan">,
  workflow: string,
  query: PageQuery & { readonly status: RunStatus | "open" | null },
): Promise<Page<RunItem>> {
  const { status } = query;
  const newest = new Newest<RunRow>(query, ({ runId: id }) => ({ rank: rankOfId(id), id }));
  for await (const row of store.scan(workflow, "runs")) {
    if (status === null || row.status === status || (status === "open" && row.open)) {
      newest.add(row);
    }
  }
  return newest.page(newest.rows().map(runItem));
}
