import type { Verdict } from "../grant/grant.ts";
import type { PolicyUse } from "../policy/policy.ts";
import type { Timed } from "../run/run-facts.ts";
import type { EventRef } from "../topic/topic-facts.ts";
import type { Payload } from "../view/payload.ts";
import type {
  Approval,
  EvidenceRow,
  Instant,
  MutationRow,
  Resolution,
  RunFailure,
} from "../view/rows.ts";

/** What a person is asked, and until when. */
export type Ask = Pick<Approval, "previewHash" | "preview" | "expiresAt" | "fourEyes">;

export type GuardedInput = EventRef & { readonly attempt: number };

export type Evidence = Pick<EvidenceRow, "kind" | "says" | "note"> & {
  readonly body: Payload | null;
};

/** The call as it will be sent, in full, before anything is sent. */
export type RecordedCall = Pick<
  MutationRow,
  | "mutationId"
  | "runId"
  | "handler"
  | "scopeId"
  | "attempt"
  | "callNo"
  | "connection"
  | "operation"
  | "connectorVersion"
  | "target"
  | "identity"
  | "payload"
  | "mutationKey"
  | "payloadHash"
  | "intentHash"
  | "providerKey"
  | "canReconcile"
  | "retentionMs"
  | "visibilityDelayMs"
  | "uiTitle"
  | "verdict"
  | "amount"
> &
  // Older records have neither.
  Partial<Pick<MutationRow, "itemId" | "subkey" | "acceptedHash" | "preview">> & {
    readonly timeoutMs: number;
  };

export type MutationRecorded = Timed & {
  readonly kind: "mutation_recorded";
  readonly call: RecordedCall;
  readonly state: "awaiting_approval" | "ready";
  readonly approval: Approval | null;
  /** Events behind the mutation; their guard rows are made now unless it awaits approval. */
  readonly inputs: readonly GuardedInput[];
};

export type MutationApproved = {
  readonly kind: "mutation_approved";
  readonly mutationId: string;
  readonly handler: string;
  readonly approval: Approval;
  readonly inputs: readonly GuardedInput[];
};

export type MutationSent = {
  readonly kind: "mutation_sent";
  readonly mutationId: string;
  readonly senderIncarnation: string;
  readonly senderEpoch: number;
  readonly sendBy: Instant;
  readonly timeoutMs: number;
  /** By the policy of the sender, which whoever looks later may not have. */
  readonly quietFrom: Instant;
  readonly firstSentAt: Instant;
  readonly sendCount: number;
  readonly policy: PolicyUse;
  /** What allows it now, which may be another grant than when it was recorded. */
  readonly verdict: Verdict;
  /** From when it counts against limits: this send, not an earlier one. Older records lack it. */
  readonly countedAt?: Instant;
  /** What counts against limits by the grants in force now; absent = what was recorded stays. */
  readonly amount?: number;
};

export type MutationApplied = {
  readonly kind: "mutation_applied";
  readonly mutationId: string;
  readonly result: Payload | null;
  readonly evidence: Evidence;
  readonly resolution: Resolution | null;
  /** What it really came to, instead of what was reserved; absent = that stays. */
  readonly amount?: number;
};

export type MutationFailed = {
  readonly kind: "mutation_failed";
  readonly mutationId: string;
  readonly handler: string;
  readonly failure: RunFailure;
  readonly evidence: Evidence;
  readonly resolution: Resolution | null;
  /** Guard rows that existed and go with this fact, and with no other. */
  readonly inputs: readonly GuardedInput[];
};

/** Back to recorded-and-not-sent: there is proof that nothing was committed. */
export type MutationRequeued = {
  readonly kind: "mutation_requeued";
  readonly mutationId: string;
  readonly nextAttemptAt: Instant | null;
  readonly evidence: Evidence;
};

/** Recorded and not sent: it goes on when this executor asks for work, and not by the clock. */
export type MutationUnasked = {
  readonly kind: "mutation_unasked";
  readonly mutationId: string;
  readonly executor: string;
  readonly evidence: Evidence;
};

export type MutationUncertain = {
  readonly kind: "mutation_uncertain";
  readonly mutationId: string;
  readonly quietFrom: Instant;
  readonly nextAttemptAt: Instant;
  readonly reconcileCount: number;
  readonly reconcileSince: Instant;
  readonly evidence: Evidence;
  readonly resolution: Resolution | null;
  readonly policy: PolicyUse;
  /** The service answers the same to its key, and nobody can read it: the key is of no use. */
  readonly answered?: true;
};

export type MutationIndeterminate = {
  readonly kind: "mutation_indeterminate";
  readonly mutationId: string;
  readonly quietFrom: Instant;
  readonly evidence: Evidence;
  /** Limits within which it could not be found out; none = nobody can be asked. */
  readonly policy: PolicyUse;
};

/** A person gave up on knowing. The row keeps its state; the decision is recorded on it. */
export type MutationSkipped = {
  readonly kind: "mutation_skipped";
  readonly mutationId: string;
  readonly resolution: Resolution;
};

/** A person has said that it did not happen in the time a restored ledger has forgotten. */
export type MutationCleared = {
  readonly kind: "mutation_cleared";
  readonly mutationId: string;
  readonly resolution: Resolution;
};

/** It was sent in that time; by whom and when is forgotten with it. */
export type MutationPresumedSent = {
  readonly kind: "mutation_presumed_sent";
  readonly mutationId: string;
};

/** Something came in about a mutation that changes nothing any more, but must not be lost. */
export type EvidenceRecorded = {
  readonly kind: "evidence_recorded";
  readonly mutationId: string;
  readonly evidence: Evidence;
};

export type MutationFact =
  | MutationRecorded
  | MutationApproved
  | MutationSent
  | MutationApplied
  | MutationFailed
  | MutationRequeued
  | MutationUnasked
  | MutationUncertain
  | MutationIndeterminate
  | MutationSkipped
  | MutationCleared
  | MutationPresumedSent
  | EvidenceRecorded;
