import type { JsonText, RunRow, Store, View } from "@holdfast/core";
import { jsonOf } from "./values.ts";

/** What `next` is told of the run's mutation. */
export async function mutationResultOf(store: Store, view: View, run: RunRow): Promise<JsonText> {
  if (run.outcome !== "applied") return JSON.stringify({ status: run.outcome ?? "none" });
  const row = run.mutationId === null ? null : view.find("mutations", run.mutationId);
  const result = await jsonOf(store, view.workflow, row?.result ?? null);
  return `{"status":"applied","result":${result ?? "null"}}`;
}
