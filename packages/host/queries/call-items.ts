import { labelOf } from "@holdfast/connector-kit";
import type { EvidenceRow, MutationRow, Store } from "@holdfast/core";
import type { CallItem } from "./answers.ts";
import { operationName } from "./items.ts";
import { plainPayload } from "./plain-value.ts";

/** What became of the first tries of a call that was tried more often is of no help. */
const evidenceShownMax = 100;

/** The calls as they were recorded, with their real params and what is known about each. */
export async function callItems(
  store: Pick<Store, "loadBlob" | "listRows">,
  workflow: string,
  mutations: readonly MutationRow[],
): Promise<CallItem[]> {
  const items: CallItem[] = [];
  for (const mutation of mutations) {
    const asked = { workflow, list: "evidenceOfMutation", of: [mutation.mutationId] } as const;
    const limit = evidenceShownMax;
    const newest = await store.listRows({ ...asked, after: null, downTo: null, limit });
    const params = await plainPayload(store, workflow, mutation.payload);
    items.push({ ...callItem(mutation), params, evidence: newest.toReversed().map(shown) });
  }
  return items;
}

function callItem(row: MutationRow): Omit<CallItem, "params" | "evidence"> {
  const { mutationId, runId, target, state, canReconcile, sendCount, firstSentAt } = row;
  const { nextAttemptAt, failure, resolution, recordedAt, settledAt, uiTitle: title } = row;
  return {
    mutationId,
    runId,
    operation: operationName(row),
    target,
    title,
    state,
    canReconcile,
    guarantee: labelOf({
      canReconcile,
      idempotency: row.retentionMs === null ? null : { retentionMs: row.retentionMs },
      visibilityDelayMs: row.visibilityDelayMs,
    }),
    sendCount,
    firstSentAt,
    nextAttemptAt,
    approval: row.approval,
    verdict: row.verdict,
    failure,
    resolution,
    recordedAt,
    settledAt,
  };
}

function shown({ kind, says, note, at }: EvidenceRow): CallItem["evidence"][number] {
  return { kind, says, note, at };
}
