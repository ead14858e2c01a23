import { type Rule, refuse } from "../journal/decision.ts";
import type { Instant } from "../view/rows.ts";
import { whyNotRunnable } from "../workflow/runnable.ts";
import { whyApprovalIsOver } from "./approve-mutation.ts";
import { brakeOn } from "./find-mutations.ts";
import { isSettled } from "./ledger-state.ts";
import { withinRetention } from "./mark-uncertain.ts";
import { emitSent, type Sending, whyNotCovered } from "./send-mutation.ts";

export type ResendMutation = Sending & {
  readonly kind: "resend_mutation";
  readonly mutationId: string;
  /**
   * The same moment as `sendBy` on a clock that nobody sets back: a provider forgets a key however
   * slowly the host's wall clock goes. Absent = the host knows no better.
   */
  readonly knownSendBy?: Instant;
};

/**
 * The same bytes under the same provider key, while the provider remembers the key. The one case
 * in which something is sent while its outcome is unknown.
 */
export const resendMutation: Rule<ResendMutation> = (draft, command) => {
  const mutation = draft.view.find("mutations", command.mutationId);
  if (!mutation) return refuse("mutation_not_found");
  if (isSettled(mutation.state)) return refuse("mutation_settled");
  if (mutation.state !== "needs_reconcile") return refuse("mutation_not_uncertain");
  const bad =
    whyNotRunnable(draft.view) ??
    whyApprovalIsOver(draft, mutation.mutationId) ??
    whyNotCovered(draft.view, mutation, command.verdict);
  if (bad) return bad;
  // To a service that looks for the key elsewhere by now, the same call is another one.
  if (mutation.verdict?.keyed !== command.verdict.keyed) return refuse("keyed_otherwise");
  if (brakeOn(draft.view, mutation)) return refuse("brake_is_on");
  const sendBy = Math.max(command.sendBy, command.knownSendBy ?? 0);
  if (!withinRetention(draft, mutation, sendBy)) return refuse("retention_over");
  const waitUntil = Math.max(mutation.quietFrom ?? 0, mutation.nextAttemptAt ?? 0);
  if (waitUntil > draft.now) return refuse("mutation_waits");
  emitSent(draft, mutation, command);
  return null;
};
