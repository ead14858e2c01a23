import { emitUnasked } from "../intent/await-executor.ts";
import { isOfIntent } from "../intent/intent-run.ts";
import { settleIntent } from "../intent/settle-intent.ts";
import { type Draft, type Rule, refuse } from "../journal/decision.ts";
import { transientDelayMs } from "../policy/backoff.ts";
import { transientNames, usedOf } from "../policy/policy.ts";
import { backOff } from "../run/pause-run.ts";
import type { MutationRow, RunFailure, RunRow } from "../view/rows.ts";
import { inputsOf, operationOf, runOf, wasUncertain } from "./find-mutations.ts";
import { isSettled } from "./ledger-state.ts";
import { markUncertain } from "./mark-uncertain.ts";
import type { Evidence } from "./mutation-facts.ts";

export type ReportUnsent = {
  readonly kind: "report_unsent";
  readonly mutationId: string;
  readonly incarnation: string;
  readonly note: string;
  /**
   * The way to the service took too long, and may again: a try is used up. Absent = it was the
   * brake, or the host, and nothing is to be learned from it.
   */
  readonly tooSlow?: { readonly jitter: number };
  /** Whoever asked for work of this executor was gone again; absent = it is the host itself. */
  readonly awaitsExecutor?: string;
};

/**
 * The last check before the socket said no: too late, or the brake. Only the incarnation that
 * would have sent can know this. After an earlier send whose outcome is unknown, it proves
 * nothing about that one.
 */
export const reportUnsent: Rule<ReportUnsent> = (draft, command) => {
  const { mutationId, incarnation, note, tooSlow, awaitsExecutor } = command;
  const mutation = draft.view.find("mutations", mutationId);
  if (!mutation) return refuse("mutation_not_found");
  if (isSettled(mutation.state)) return refuse("mutation_settled");
  if (mutation.state !== "in_flight") return refuse("mutation_not_in_flight");
  if (mutation.senderIncarnation !== incarnation) return refuse("not_the_sender");
  const evidence = { kind: "unsent", says: "not_sent", note, body: null } as const;
  const run = runOf(draft, mutation);
  if (wasUncertain(mutation)) markUncertain(draft, run, mutation, evidence);
  else if (tooSlow !== undefined) tryLater(draft, { run, mutation, evidence, ...tooSlow });
  else {
    draft.emit({ kind: "mutation_requeued", mutationId, nextAttemptAt: draft.now, evidence });
    if (awaitsExecutor !== undefined) emitUnasked(draft, mutation, awaitsExecutor);
  }
  return null;
};

type Unsent = {
  readonly run: RunRow;
  readonly mutation: MutationRow;
  readonly evidence: Evidence;
  readonly jitter: number;
};

/** Without this a service that is always too slow would be tried at once, for ever and unseen. */
function tryLater(draft: Draft, unsent: Unsent): void {
  const { run, mutation, evidence, jitter } = unsent;
  const { mutationId } = mutation;
  const message = evidence.note;
  const failure = { class: "transient", message, location: operationOf(mutation) } as const;
  if (isOfIntent(run)) return tryIntentLater(draft, unsent, failure);
  backOff(draft, run, failure, { jitter, policy: draft.view.policyOf(mutation) });
  const { dueAt: nextAttemptAt } = draft.view.load("runs", run.runId);
  draft.emit({ kind: "mutation_requeued", mutationId, nextAttemptAt, evidence });
}

/**
 * A machine's call is no run that is paused: the try is counted, and the call itself waits. When
 * the tries are used up the machine is told, as of any other failure that passes.
 */
function tryIntentLater(
  draft: Draft,
  { run, mutation, evidence, jitter }: Unsent,
  failure: RunFailure,
): void {
  const { mutationId, handler } = mutation;
  const { runId } = run;
  const policy = draft.view.policyOf(mutation);
  const transientCount = run.transientCount + 1;
  if (transientCount > policy.transientTriesMax) {
    const settled = { mutationId, handler, failure, evidence, resolution: null } as const;
    draft.emit({ kind: "mutation_failed", ...settled, inputs: inputsOf(draft.view, runId) });
    settleIntent(draft, run, "none");
    return;
  }
  const dueAt = draft.now + transientDelayMs(policy, transientCount, jitter);
  const counted = { dueAt, transientCount, failure, policy: usedOf(policy, transientNames) };
  const waits = { status: "paused:transient", reason: "backoff", ...counted } as const;
  draft.emit({ kind: "run_paused", runId, ...waits });
  draft.emit({ kind: "run_resumed", runId, fresh: false });
  draft.emit({ kind: "mutation_requeued", mutationId, nextAttemptAt: dueAt, evidence });
}
