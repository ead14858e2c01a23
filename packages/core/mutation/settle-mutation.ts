import type { SignedWord } from "../frame/machine-input.ts";
import { spentIn } from "../grant/spent-in.ts";
import { holdIntent, isOfAccount } from "../intent/hold-intent.ts";
import { isOfIntent } from "../intent/intent-run.ts";
import { settleIntent } from "../intent/settle-intent.ts";
import { type Draft, type Rule, refuse } from "../journal/decision.ts";
import { clampRateLimit } from "../policy/backoff.ts";
import { assertNever } from "../ports/invariant.ts";
import { advanceWithOutcome } from "../run/advance.ts";
import { fail } from "../run/fail-run.ts";
import { backOff, pauseForPerson, waitForRate } from "../run/pause-run.ts";
import { pinPayload } from "../view/payload.ts";
import type {
  FailureClass,
  Instant,
  MutationRow,
  Resolution,
  RunFailure,
  RunRow,
} from "../view/rows.ts";
import { inputsOf, runOf, wasUncertain } from "./find-mutations.ts";
import { isSettled } from "./ledger-state.ts";
import { markUncertain } from "./mark-uncertain.ts";
import type { Evidence } from "./mutation-facts.ts";

/** Not knowing is not failing: that is `unknown`. */
type DefiniteFailure = RunFailure & { readonly class: Exclude<FailureClass, "indeterminate"> };

/** By whom it was executed, if that was not in the host's process. */
type Signed = { readonly signed?: SignedWord };

export type SendOutcome =
  | (Signed & { readonly says: "applied"; readonly result: Uint8Array | null })
  /** There is proof that nothing was committed. */
  | (Signed & {
      readonly says: "failed";
      readonly failure: DefiniteFailure;
      readonly jitter: number;
    })
  /** Not committed and not a failure: the service wants us to come back later. */
  | { readonly says: "rate_limited"; readonly until: Instant }
  /** Anything else: timeout, reset, an answer that makes no sense. */
  | {
      readonly says: "unknown";
      readonly note: string;
      /** It has answered, and would answer the same to the same call; absent = nobody knows. */
      readonly answered?: boolean;
      /** Another process has it, and may send it yet; absent = whoever sent it has ended. */
      readonly mayGoOn?: boolean;
    };

export type SettleMutation = {
  readonly kind: "settle_mutation";
  readonly mutationId: string;
  readonly outcome: SendOutcome;
};

/** What came of a send. `failed` needs proof; whatever is not clear is unknown. */
export const settleMutation: Rule<SettleMutation> = (draft, { mutationId, outcome }) => {
  const mutation = draft.view.find("mutations", mutationId);
  if (!mutation) return refuse("mutation_not_found");
  if (isSettled(mutation.state)) return refuse("mutation_settled");
  if (mutation.state !== "in_flight") return refuse("mutation_not_in_flight");
  const run = runOf(draft, mutation);
  switch (outcome.says) {
    case "applied":
      settleApplied(draft, run, mutation, outcome);
      return null;
    case "failed":
      settleFailed(draft, run, mutation, outcome);
      return null;
    case "rate_limited":
      sendLater(draft, run, mutation, outcome.until);
      return null;
    case "unknown":
      markUncertain(draft, run, mutation, said("error", "unknown", outcome.note), {
        resendHelps: outcome.answered !== true,
        mayGoOn: outcome.mayGoOn === true,
      });
      return null;
    default:
      return assertNever(outcome, "settle_mutation");
  }
};

function said(kind: Evidence["kind"], says: Evidence["says"], note: string): Evidence {
  return { kind, says, note, body: null };
}

function settleApplied(
  draft: Draft,
  run: RunRow,
  mutation: MutationRow,
  { result, signed }: Signed & { readonly result: Uint8Array | null },
): void {
  emitApplied(draft, mutation, result, said("response", "applied", "the service confirmed it"));
  advanceWithOutcome(draft, run, "applied", signed);
}

export function emitApplied(
  draft: Draft,
  mutation: MutationRow,
  bytes: Uint8Array | null,
  evidence: Evidence,
  resolution: Resolution | null = null,
): void {
  const { mutationId } = mutation;
  const pinned = bytes === null ? null : pinPayload(bytes);
  draft.store(pinned?.blob ?? null);
  const result = pinned?.payload ?? null;
  const amount = spentIn(mutation, bytes);
  const applied = { kind: "mutation_applied", mutationId, result, evidence, resolution } as const;
  draft.emit(amount === null ? applied : { ...applied, amount });
}

function settleFailed(
  draft: Draft,
  run: RunRow,
  mutation: MutationRow,
  { failure, jitter, signed }: Signed & { failure: RunFailure; jitter: number },
): void {
  const evidence = said("error", "failed", failure.message);
  if (wasUncertain(mutation)) {
    markUncertain(draft, run, mutation, evidence);
    return;
  }
  const { mutationId, handler } = mutation;
  // A machine decides by itself whether to try again.
  if (failure.class === "transient" && !isOfIntent(run)) {
    const policy = draft.view.policyOf(mutation);
    backOff(draft, run, failure, { jitter, policy });
    const { dueAt: nextAttemptAt } = draft.view.load("runs", run.runId);
    draft.emit({ kind: "mutation_requeued", mutationId, nextAttemptAt, evidence });
    return;
  }
  if (isOfIntent(run) && isOfAccount(failure)) {
    holdIntent(draft, { run, mutation }, { failure, evidence });
    return;
  }
  const inputs = inputsOf(draft.view, run.runId);
  draft.emit({
    kind: "mutation_failed",
    mutationId,
    handler,
    failure,
    evidence,
    resolution: null,
    inputs,
  });
  endRun(draft, run, failure, signed);
}

/** The class decides who has to act: nobody by waiting, a person, or whoever mends the script. */
function endRun(draft: Draft, run: RunRow, failure: RunFailure, signed?: SignedWord): void {
  if (isOfIntent(run)) return settleIntent(draft, run, "none", signed);
  switch (failure.class) {
    case "auth":
    case "permission":
    case "precondition":
    case "budget":
      return pauseForPerson(draft, run, failure.class, failure);
    default:
      return fail(draft, run, failure);
  }
}

function sendLater(draft: Draft, run: RunRow, mutation: MutationRow, until: Instant): void {
  const evidence = said("error", "failed", "the service asked to wait");
  if (wasUncertain(mutation)) {
    markUncertain(draft, run, mutation, evidence);
    return;
  }
  const { mutationId } = mutation;
  const policy = draft.view.policyOf(mutation);
  const nextAttemptAt = isOfIntent(run)
    ? clampRateLimit(policy, until, draft.now)
    : waitForRate(draft, run, until, policy);
  draft.emit({ kind: "mutation_requeued", mutationId, nextAttemptAt, evidence });
}
