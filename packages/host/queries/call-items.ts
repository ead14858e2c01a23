import { labelOf } from "@holdfast/connector-kit";
import type { EvidenceRow, MutationRow, Store } from "@holdfast/core";
import type { CallItem } from "./answers.ts";
import { operationName, previewOf, scriptTitleOf } from "./items.ts";
import { plainPayload } from "./plain-value.ts";

/** How much is told of each call. */
type Told = {
  /** Larger parameters are left out, and never read. */
  readonly paramsBytesMax: number;
  /** Of the newest: what became of the first tries of many is of no help. */
  readonly evidenceCountMax: number;
};

const whole: Told = { paramsBytesMax: Number.POSITIVE_INFINITY, evidenceCountMax: 100 };
/** In a list of many, where each leads to a page of its own. */
export const inList: Told = { paramsBytesMax: 16_384, evidenceCountMax: 5 };

/** The calls as they were recorded, with their real params and what is known about each. */
export async function callItems(
  store: Pick<Store, "loadBlob" | "listRows">,
  workflow: string,
  mutations: readonly MutationRow[],
  { paramsBytesMax, evidenceCountMax: limit }: Told = whole,
): Promise<CallItem[]> {
  const items: CallItem[] = [];
  for (const mutation of mutations) {
    const asked = { workflow, list: "evidenceOfMutation", of: [mutation.mutationId] } as const;
    const newest = await store.listRows({ ...asked, after: null, downTo: null, limit });
    const { payload } = mutation;
    const isCut = payload.size > paramsBytesMax;
    const params = isCut ? null : await plainPayload(store, workflow, payload);
    const paramsCut = isCut ? payload.size : null;
    const evidence = newest.toReversed().map(shown);
    items.push({ ...callItem(mutation), params, paramsCut, evidence });
  }
  return items;
}

function callItem(row: MutationRow): Omit<CallItem, "params" | "paramsCut" | "evidence"> {
  const { mutationId, runId, target, state, canReconcile, sendCount, firstSentAt } = row;
  const { nextAttemptAt, failure, resolution, recordedAt, settledAt } = row;
  return {
    mutationId,
    runId,
    operation: operationName(row),
    target,
    title: scriptTitleOf(row),
    preview: previewOf(row),
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
