import { type Rule, refuse } from "../journal/decision.ts";
import { runOf, wasUncertain } from "./find-mutations.ts";
import { isSettled } from "./ledger-state.ts";
import { markUncertain } from "./mark-uncertain.ts";

export type ReportUnsent = {
  readonly kind: "report_unsent";
  readonly mutationId: string;
  readonly incarnation: string;
  readonly note: string;
};

/**
 * The last check before the socket said no: too late, or the brake. Only the incarnation that
 * would have sent can know this. After an earlier send whose outcome is unknown, it proves
 * nothing about that one.
 */
export const reportUnsent: Rule<ReportUnsent> = (draft, { mutationId, incarnation, note }) => {
  const mutation = draft.view.find("mutations", mutationId);
  if (!mutation) return refuse("mutation_not_found");
  if (isSettled(mutation.state)) return refuse("mutation_settled");
  if (mutation.state !== "in_flight") return refuse("mutation_not_in_flight");
  if (mutation.senderIncarnation !== incarnation) return refuse("not_the_sender");
  const evidence = { kind: "unsent", says: "not_sent", note, body: null } as const;
  if (wasUncertain(mutation)) {
    markUncertain(draft, runOf(draft, mutation), mutation, evidence);
    return null;
  }
  draft.emit({ kind: "mutation_requeued", mutationId, nextAttemptAt: draft.now, evidence });
  return null;
};
