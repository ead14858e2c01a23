import { closeAttentions, openAttention } from "../attention/attend.ts";
import type { Draft } from "../journal/decision.ts";
import type { Evidence } from "../mutation/mutation-facts.ts";
import type { MutationRow, RunFailure, RunRow } from "../view/rows.ts";
import type { View } from "../view/view.ts";
import { isOfIntent, openIntentRuns } from "./intent-run.ts";

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

/** Whether it is the run of a machine's call that waits until a person has mended its account. */
export function isHeldForAccount(run: RunRow): boolean {
  const isForAccount = run.reason === "auth" || run.reason === "permission";
  return isForAccount && isOfIntent(run) && run.endedAt === null;
}

/** It is mended: all that waited for the same goes on, as itself. */
export function resumeHeldRuns(draft: Draft, like: RunRow, actor: string): void {
  for (const run of heldRuns(draft.view)) {
    if (causeOf(run) !== causeOf(like)) continue;
    draft.emit({ kind: "run_resumed", runId: run.runId, fresh: true });
    closeAttentions(draft, run.runId, { actor, answer: "resume" });
  }
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
  return openIntentRuns(view).filter(isHeldForAccount);
}

function causeOf({ reason, failure }: RunRow): string {
  return `${reason} ${failure?.location} ${failure?.account ?? ""}`;
}
