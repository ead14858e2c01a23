import { closeAttentions, openAttention } from "../attention/attend.ts";
import { type Draft, refuse } from "../journal/decision.ts";
import type { Refusal } from "../journal/refusal.ts";
import type { Evidence } from "../mutation/mutation-facts.ts";
import type { Instant, MutationRow, RunFailure, RunRow } from "../view/rows.ts";
import type { View } from "../view/view.ts";
import { callOfIntent, isOfIntent, openIntentRuns } from "./intent-run.ts";

type Refused = RunFailure & { readonly class: "auth" | "permission" };

/** The service refused the sign-in or its rights: a person mends the account, not the machine. */
export function isOfAccount(failure: RunFailure): failure is Refused {
  return failure.class === "auth" || failure.class === "permission";
}

/** There is proof that nothing came of it: the same call waits in the ledger until it may go on. */
export function holdIntent(
  draft: Draft,
  { run, mutation }: { readonly run: RunRow; readonly mutation: MutationRow },
  { failure, evidence }: { readonly failure: Refused; readonly evidence: Evidence },
): void {
  const { mutationId } = mutation;
  draft.emit({ kind: "mutation_requeued", mutationId, nextAttemptAt: null, evidence });
  const { runId, transientCount } = run;
  const waits = { status: "paused:approval", reason: failure.class, dueAt: null } as const;
  draft.emit({ kind: "run_paused", runId, ...waits, transientCount, failure, policy: {} });
  tendHeldRuns(draft);
}

/** What grants say of a call that lies in the ledger. */
type NotGranted = {
  readonly reason: "permission" | "budget";
  readonly failure: RunFailure;
  /** When there is room again; null = other grants have to come. */
  readonly dueAt: Instant | null;
};

/** What allowed it is gone, or used up: the call stays as it is, approved or not, and waits. */
export function holdForGrants(
  draft: Draft,
  run: RunRow,
  { reason, failure, dueAt }: NotGranted,
): Refusal | null {
  const { runId, status, transientCount } = run;
  if (run.endedAt !== null) return refuse("run_closed", `Run ${runId} has ended.`);
  if (status !== "active") return refuse("run_not_active", `Run ${runId} is ${status}.`);
  if (callOfIntent(draft.view, run)?.state !== "ready") return refuse("mutation_not_ready");
  const waits = { status: "paused:approval", reason, dueAt } as const;
  draft.emit({ kind: "run_paused", runId, ...waits, transientCount, failure, policy: {} });
  tendHeldRuns(draft);
  return null;
}

/** Other grants have come: what the ones before held is judged by them. */
export function resumeForOtherGrants(draft: Draft, actor: string): void {
  const isByGrants = ({ reason, failure }: RunRow) =>
    reason !== "auth" && failure?.account === undefined;
  letGo(draft, heldRuns(draft.view).filter(isByGrants), { actor, answer: "granted" });
}

/** It is asked about otherwise from now on. */
export function forgetHold(draft: Draft, run: RunRow): void {
  if (!isHeldRun(run)) return;
  closeAttentions(draft, run.runId, { actor: "host", answer: "released" });
  tendHeldRuns(draft);
}

/** Whether it is the run of a machine's call that waits in the ledger for its account or grants. */
export function isHeldRun(run: RunRow): boolean {
  const isOfGrants = run.reason === "budget" && isOfIntent(run) && run.endedAt === null;
  return isOfGrants || isHeldForAccount(run);
}

/** Whether it is the run of a machine's call that waits until a person has mended its account. */
export function isHeldForAccount(run: RunRow): boolean {
  const isForAccount = run.reason === "auth" || run.reason === "permission";
  return isForAccount && isOfIntent(run) && run.endedAt === null;
}

/**
 * It is mended, or there is room: all that waited for the same goes on, as itself. The host lets go
 * what is due by the clock, and nothing else.
 */
export function resumeHeldRuns(draft: Draft, like: RunRow, actor: string): Refusal | null {
  const isDue = ({ dueAt }: RunRow) => actor !== "host" || (dueAt !== null && dueAt <= draft.now);
  if (!isDue(like)) return refuse("run_is_due_later");
  const alike = standingFor(draft.view, like).filter(isDue);
  letGo(draft, alike, { actor, answer: "resume" });
  return null;
}

function letGo(
  draft: Draft,
  runs: readonly RunRow[],
  closing: { readonly actor: string; readonly answer: string },
): void {
  if (runs.length === 0) return;
  for (const { runId } of runs) {
    draft.emit({ kind: "run_resumed", runId, fresh: closing.actor !== "host" });
    closeAttentions(draft, runId, closing);
  }
  tendHeldRuns(draft);
}

/** All that wait for the same as it does, itself too: the question about one is about each. */
export function standingFor(view: View, like: RunRow): readonly RunRow[] {
  return heldRuns(view).filter((run) => causeOf(run) === causeOf(like));
}

/** The oldest that waits for one thing stands for the others; it may have been taken back. */
export function tendHeldRuns(draft: Draft): void {
  const asked = new Set<string>();
  for (const run of heldRuns(draft.view)) {
    const cause = causeOf(run);
    if (asked.has(cause)) continue;
    asked.add(cause);
    const note = `${run.reason}: ${run.failure?.message ?? ""}`;
    openAttention(draft, "action_needed", run.runId, note, ["resume", "cancel"]);
  }
}

function heldRuns(view: View): readonly RunRow[] {
  return openIntentRuns(view).filter(isHeldRun);
}

function causeOf({ reason, failure }: RunRow): string {
  return `${reason} ${failure?.location} ${failure?.account ?? ""}`;
}
