import { closeAttentions } from "../attention/attend.ts";
import { isOfIntent } from "../intent/intent-run.ts";
import { settleIntent } from "../intent/settle-intent.ts";
import { answerItem } from "../item/item-of-mutation.ts";
import { type Draft, type Rule, refuse } from "../journal/decision.ts";
import type { Refusal } from "../journal/refusal.ts";
import { reconcileNames, usedOf } from "../policy/policy.ts";
import { assertNever } from "../ports/invariant.ts";
import { isAskedFirst } from "../restore/ask-first.ts";
import { resolveHeld } from "../restore/resolve-held.ts";
import { advanceWithOutcome } from "../run/advance.ts";
import { orderRetry, retryFrom } from "../run/order-retry.ts";
import type { MutationRow, OnMutationFailed, Resolution } from "../view/rows.ts";
import { inputsOf, runOf } from "./find-mutations.ts";
import type { Evidence } from "./mutation-facts.ts";
import { emitApplied } from "./settle-mutation.ts";

/** What the service said when it was asked just before, in words; absent = it was not. */
type Seen = { readonly seen?: string | null };

export type Answer =
  | { readonly says: "try_again" }
  /** `then` null = as the consumer declares. */
  | ({ readonly says: "did_not_happen"; readonly then: OnMutationFailed | null } & Seen)
  | ({ readonly says: "happened"; readonly result: Uint8Array | null } & Seen)
  | { readonly says: "skip" }
  /** Of a call that waits because the store was restored: it did not happen, and is to. */
  | { readonly says: "send" };

export type ResolveMutation = {
  readonly kind: "resolve_mutation";
  readonly mutationId: string;
  readonly answer: Answer;
  readonly actor: string;
};

/** A person's word where the host could not find out. One answer wins; the next is told so. */
export const resolveMutation: Rule<ResolveMutation> = (draft, command) => {
  const { mutationId, answer, actor } = command;
  const mutation = draft.view.find("mutations", mutationId);
  if (!mutation) return refuse("mutation_not_found");
  if (isAskedFirst(draft.view, mutation)) return resolveHeld(draft, mutation, command);
  const bad = whyNotAsked(mutation);
  if (bad) return bad;
  if (answer.says === "send") return refuse("mutation_not_ready");
  if (answer.says === "try_again" && !mutation.canReconcile) return refuse("cannot_reconcile");
  if (answer.says === "did_not_happen" && draft.now < (mutation.quietFrom ?? 0)) {
    return refuse("host_may_still_be_sending");
  }
  const resolution: Resolution = { kind: answer.says, actor, at: draft.now };
  const note = noteOf(actor, answer);
  resolve(draft, mutation, answer, resolution, note);
  closeAttentions(draft, mutationId, { actor, answer: answer.says });
  return null;
};

/** A person's word, and what it was held against. */
export function noteOf(actor: string, answer: Answer): string {
  const said = `${actor} answered: ${answer.says}`;
  const seen = "seen" in answer ? (answer.seen ?? null) : null;
  return seen === null ? said : `${said}; ${seen}`;
}

function whyNotAsked({ state, resolution }: MutationRow): Refusal | null {
  if (resolution?.kind === "skip") return refuse("mutation_resolved");
  switch (state) {
    case "indeterminate":
      return null;
    case "awaiting_approval":
      return refuse("mutation_awaits_approval");
    case "ready":
      return refuse("mutation_not_uncertain");
    case "in_flight":
      return refuse("mutation_in_flight");
    case "needs_reconcile":
      return refuse("mutation_not_indeterminate");
    case "applied":
    case "failed":
      return refuse("mutation_settled");
    default:
      return assertNever(state, "resolve_mutation");
  }
}

function resolve(
  draft: Draft,
  mutation: MutationRow,
  answer: Exclude<Answer, { says: "send" }>,
  resolution: Resolution,
  note: string,
): void {
  const run = runOf(draft, mutation);
  const { mutationId } = mutation;
  const evidence = (says: Evidence["says"]): Evidence => ({
    kind: "answer",
    says,
    note,
    body: null,
  });
  switch (answer.says) {
    case "try_again":
      return tryAgain(draft, mutation, resolution, evidence("unknown"));
    case "did_not_happen":
      return didNotHappen(draft, mutation, answer.then, resolution, evidence("failed"));
    case "happened":
      emitApplied(draft, mutation, answer.result, evidence("applied"), resolution);
      return advanceWithOutcome(draft, run, "applied");
    case "skip":
      draft.emit({ kind: "mutation_skipped", mutationId, resolution });
      return advanceWithOutcome(draft, run, "skipped");
    default:
      return assertNever(answer, "resolve_mutation");
  }
}

function tryAgain(
  draft: Draft,
  mutation: MutationRow,
  resolution: Resolution,
  evidence: Evidence,
): void {
  const { mutationId } = mutation;
  draft.emit({
    kind: "mutation_uncertain",
    mutationId,
    quietFrom: mutation.quietFrom ?? draft.now,
    nextAttemptAt: draft.now,
    reconcileCount: 0,
    reconcileSince: draft.now,
    evidence,
    resolution,
    policy: usedOf(draft.view.policyOf(mutation), reconcileNames),
  });
  answerItem(draft, mutation, resolution.actor);
  draft.order({ kind: "reconcile", mutationId, at: draft.now });
}

function didNotHappen(
  draft: Draft,
  mutation: MutationRow,
  then: OnMutationFailed | null,
  resolution: Resolution,
  evidence: Evidence,
): void {
  const { mutationId, handler, operation } = mutation;
  draft.emit({
    kind: "mutation_failed",
    mutationId,
    handler,
    failure: { class: "indeterminate", message: evidence.note, location: operation },
    evidence,
    resolution,
    inputs: inputsOf(draft.view, mutation.runId),
  });
  draft.note = "done; if it did happen after all, it is now done twice";
  const run = runOf(draft, mutation);
  if (isOfIntent(run)) return settleIntent(draft, run, "none");
  if (run.kind === "job") {
    answerItem(draft, mutation, resolution.actor);
    draft.emit({ kind: "run_resumed", runId: run.runId, fresh: true });
    return;
  }
  const chosen = then === null ? null : then === "replay" ? "mutating" : "preparing";
  orderRetry(draft, run, chosen ?? retryFrom(draft.view, run));
}
