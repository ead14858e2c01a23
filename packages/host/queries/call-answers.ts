import type { GuaranteeLabel } from "@holdfast/connector-kit";
import type {
  EvidenceRow,
  Instant,
  LedgerState,
  Resolution,
  RunFailure,
  Verdict,
} from "@holdfast/core";
import type { JsonValue } from "./answers.ts";

/** One outside call as it was recorded, with what is known of it. */
export type CallItem = {
  readonly mutationId: string;
  readonly runId: string;
  readonly operation: string;
  readonly target: string;
  readonly title: string | null;
  /** Rendered by the host; null = nobody was asked, and the script has a title for it. */
  readonly preview: string | null;
  readonly params: JsonValue;
  /** So many bytes of parameters were left out of a list; null = they are all here. */
  readonly paramsCut: number | null;
  readonly state: LedgerState;
  /** Whether the connector can find out by itself. */
  readonly canReconcile: boolean;
  /** What can be relied on when its answer is lost. */
  readonly guarantee: GuaranteeLabel;
  readonly sendCount: number;
  readonly firstSentAt: Instant | null;
  readonly nextAttemptAt: Instant | null;
  /** What a person is asked, or has agreed to; null = nobody was asked. */
  readonly approval: ApprovalItem | null;
  /** The grant by which it is there, or was last sent. */
  readonly verdict: Verdict | null;
  readonly failure: RunFailure | null;
  readonly resolution: Resolution | null;
  readonly recordedAt: Instant;
  readonly settledAt: Instant | null;
  readonly evidence: readonly Pick<EvidenceRow, "kind" | "says" | "note" | "at">[];
};

/** An approval names both hashes: it is for these bytes, as they were shown. */
export type ApprovalItem = {
  readonly payloadHash: string;
  readonly previewHash: string;
  /** Rendered by the host from what will really be sent. */
  readonly preview: string;
  readonly expiresAt: Instant;
  /** Whoever deployed or proposed its version, or the active one, may not give it. */
  readonly fourEyes: boolean;
  readonly actor: string | null;
  readonly approvedAt: Instant | null;
  /** Which call was changed into it, and by whom; absent = it is as the script made it. */
  readonly edited?: { readonly from: string; readonly by: readonly string[] };
};
