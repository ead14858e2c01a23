import { type Rule, refuse } from "../journal/decision.ts";
import { runOf } from "../mutation/find-mutations.ts";
import { markUncertain } from "../mutation/mark-uncertain.ts";
import { isOfIntent } from "./intent-run.ts";

export type RecoverIntent = {
  readonly kind: "recover_intent";
  readonly mutationId: string;
  /** The incarnation that now owns the workflow. */
  readonly incarnation: string;
};

/** What a predecessor may have sent is found out about, never repeated. */
export const recoverIntent: Rule<RecoverIntent> = (draft, { mutationId, incarnation }) => {
  const mutation = draft.view.find("mutations", mutationId);
  if (!mutation) return refuse("mutation_not_found");
  if (mutation.state !== "in_flight") return refuse("mutation_not_in_flight");
  const run = runOf(draft, mutation);
  if (!isOfIntent(run)) return refuse("mutation_not_of_machine");
  const { senderIncarnation, quietFrom } = mutation;
  const isOverdue = draft.now >= (quietFrom ?? 0);
  if (senderIncarnation === incarnation && !isOverdue) return refuse("mutation_in_flight");
  const note = `host ${senderIncarnation} stopped while it was sending`;
  const evidence = { kind: "recovery", says: "unknown", note, body: null } as const;
  markUncertain(draft, run, mutation, evidence);
  return null;
};
