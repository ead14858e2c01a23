import { type Draft, type Rule, refuse } from "../journal/decision.ts";
import { operationOf, runOf } from "../mutation/find-mutations.ts";
import type { MutationRow } from "../view/rows.ts";
import { isOfIntent } from "./intent-run.ts";

export type AwaitExecutor = {
  readonly kind: "await_executor";
  readonly mutationId: string;
  /** By the connector's name. */
  readonly executor: string;
};

/**
 * Nobody asks for the calls of the executor, so nothing is begun: the call stays in the ledger, not
 * sent, and is written to once, however long that lasts.
 */
export const awaitExecutor: Rule<AwaitExecutor> = (draft, { mutationId, executor }) => {
  const mutation = draft.view.find("mutations", mutationId);
  if (!mutation) return refuse("mutation_not_found");
  if (mutation.state !== "ready") return refuse("mutation_not_ready");
  if (!isOfIntent(runOf(draft, mutation))) return refuse("mutation_not_of_machine");
  if (mutation.awaitsExecutor === executor) return null;
  emitUnasked(draft, mutation, executor);
  return null;
};

export function emitUnasked(draft: Draft, mutation: MutationRow, executor: string): void {
  const note = `no executor of ${executor} has asked for ${operationOf(mutation)}`;
  const evidence = { kind: "unsent", says: "not_sent", note, body: null } as const;
  const { mutationId } = mutation;
  draft.emit({ kind: "mutation_unasked", mutationId, executor, evidence });
}
