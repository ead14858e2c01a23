import type { Verdict } from "../grant/grant.ts";
import { type Draft, type Rule, refuse } from "../journal/decision.ts";
import type { Fact } from "../journal/fact.ts";
import type { Refusal } from "../journal/refusal.ts";
import { usedOf } from "../policy/policy.ts";
import { askFirst } from "../restore/ask-first.ts";
import { mayHaveHappened } from "../restore/restore-point.ts";
import type { Instant, MutationRow } from "../view/rows.ts";
import type { View } from "../view/view.ts";
import { whyNotRunnable } from "../workflow/runnable.ts";
import { whyApprovalIsOver } from "./approve-mutation.ts";
import { brakeOn, operationOf, runOf } from "./find-mutations.ts";
import { isSettled } from "./ledger-state.ts";

export type Sending = {
  readonly incarnation: string;
  readonly epoch: number;
  /** Last moment the first byte may leave; lies inside the lease. */
  readonly sendBy: Instant;
  readonly timeoutMs: number;
  /** What allows it now. */
  readonly verdict: Verdict;
  /** Of the call, by the grants in force now; null or absent = what its row says stays. */
  readonly amount?: number | null;
  /** When it is sent, by the host's clock; absent = when this is decided. */
  readonly sentAt?: Instant;
};

export type SendMutation = Sending & {
  readonly kind: "send_mutation";
  readonly mutationId: string;
};

/**
 * From recorded to possibly sent: once this is durable the outcome is no longer ours to say. What
 * may have been sent before the store was restored becomes a question instead.
 */
export const sendMutation: Rule<SendMutation> = (draft, command) => {
  const mutation = draft.view.find("mutations", command.mutationId);
  if (!mutation) return refuse("mutation_not_found");
  if (isSettled(mutation.state)) return refuse("mutation_settled");
  if (mutation.state === "awaiting_approval") return refuse("mutation_awaits_approval");
  if (mutation.state !== "ready") return refuse("mutation_not_ready");
  // Before its run is looked at, which is paused because of it.
  if (brakeOn(draft.view, mutation)) return refuse("brake_is_on", operationOf(mutation));
  const run = runOf(draft, mutation);
  if (run.status !== "active") return refuse("run_not_active", `The run is ${run.status}.`);
  const bad =
    whyNotRunnable(draft.view) ??
    whyApprovalIsOver(draft, mutation.mutationId) ??
    whyNotCovered(draft.view, mutation, command.verdict);
  if (bad) return bad;
  const { nextAttemptAt } = mutation;
  if (nextAttemptAt !== null && nextAttemptAt > draft.now) return refuse("mutation_waits");
  if (mayHaveHappened(draft.view, mutation)) askFirst(draft, mutation);
  else emitSent(draft, mutation, command);
  return null;
};

/** What was judged by other grants than those in force has to be judged again. */
export function whyOtherEnvelope(view: View, { envelope }: Verdict): Refusal | null {
  const inForce = view.load("workflows").envelope;
  if (envelope === inForce) return null;
  return refuse("envelope_changed", `Judged by envelope ${envelope}; ${inForce} is in force.`);
}

/** A grant of the envelope in force allows it, or asks and a person has agreed to these bytes. */
export function whyNotCovered(
  view: View,
  { approval, payloadHash }: MutationRow,
  verdict: Verdict,
): Refusal | null {
  const other = whyOtherEnvelope(view, verdict);
  if (other) return other;
  if (verdict.says === "ask" && !isApprovedAs(approval, verdict)) {
    return refuse("mutation_awaits_approval");
  }
  return approval === null || approval.payloadHash === payloadHash
    ? null
    : refuse("payload_differs", `Approved was ${approval.payloadHash}, not ${payloadHash}.`);
}

/** A yes that nobody looked at with four eyes is none where they are asked for. */
export function isApprovedAs(
  approval: MutationRow["approval"],
  { fourEyes = false }: Pick<Verdict, "fourEyes">,
): boolean {
  if (approval === null || approval.approvedAt === null) return false;
  return approval.fourEyes || !fourEyes;
}

export function emitSent(draft: Draft, mutation: MutationRow, sending: Sending): void {
  const { mutationId } = mutation;
  const { amount = null, sentAt = draft.now } = sending;
  const sent: Fact = {
    kind: "mutation_sent",
    mutationId,
    senderIncarnation: sending.incarnation,
    senderEpoch: sending.epoch,
    sendBy: sending.sendBy,
    timeoutMs: sending.timeoutMs,
    quietFrom: sending.sendBy + sending.timeoutMs + draft.view.policy.hostPauseMsMax,
    firstSentAt: mutation.firstSentAt ?? draft.now,
    sendCount: mutation.sendCount + 1,
    policy: usedOf(draft.view.policy, ["hostPauseMsMax"]),
    verdict: sending.verdict,
    // The phase that made the call may have begun long before.
    countedAt: Math.max(draft.now, sentAt),
  };
  draft.emit(amount === null ? sent : { ...sent, amount });
  draft.expect(sending.verdict.budget);
  draft.order({ kind: "send", mutationId, sendBy: sending.sendBy });
}
