import type { PolicyUse } from "../policy/policy.ts";
import type { EventRef } from "../topic/topic-facts.ts";
import type { Payload } from "../view/payload.ts";
import type {
  HandlerKind,
  Instant,
  MutationOutcome,
  RetryFrom,
  RunFailure,
  Seq,
} from "../view/rows.ts";
import type { RunPhase } from "./run-phase.ts";
import type { FailedStatus, PausedStatus, PauseReason } from "./run-status.ts";

export type PinnedEvent = EventRef & { readonly revision: Seq; readonly attempt: number };
export type ReservedEvent = PinnedEvent & { readonly deliveryCount: number };

/** How long the code of its run has run by then, in all; absent = as long as was known before. */
export type Timed = { readonly activeMs?: number };

/** What a retry run takes over instead of preparing afresh. */
export type Inheritance = {
  readonly prepareResult: Payload;
  readonly preparedAt: Instant;
  readonly selectionId: string;
  readonly uiTitle: string | null;
  readonly trigger: string | null;
  readonly outcome: MutationOutcome | null;
  readonly mutationId: string | null;
  readonly events: readonly ReservedEvent[];
};

export type RunStarted = {
  readonly kind: "run_started";
  readonly runId: string;
  readonly handler: string;
  readonly handlerKind: HandlerKind;
  readonly phase: RunPhase;
  readonly retryOf: string | null;
  readonly rootRunId: string;
  readonly asOf: Seq;
  readonly trigger: string | null;
  readonly version: string;
  readonly scriptHash: string | null;
  /** Of its version; absent = it was not written down. */
  readonly deployers?: readonly string[] | null;
  readonly transientCount: number;
  /** null = starts from nothing. */
  readonly inherits: Inheritance | null;
};

export type RunPrepared = Timed & {
  readonly kind: "run_prepared";
  readonly runId: string;
  readonly handler: string;
  readonly asOf: Seq;
  readonly reservations: readonly ReservedEvent[];
  readonly prepareResult: Payload;
  readonly selectionId: string;
  readonly uiTitle: string | null;
  readonly trigger: string | null;
  readonly wakeAt: Instant | null;
};

export type RunAdvanced = Timed & {
  readonly kind: "run_advanced";
  readonly runId: string;
  readonly phase: RunPhase;
  /** Set when the step to this phase decided it. */
  readonly outcome: MutationOutcome | null;
};

export type RunPaused = Timed & {
  readonly kind: "run_paused";
  readonly runId: string;
  readonly status: PausedStatus;
  readonly reason: PauseReason;
  readonly dueAt: Instant | null;
  readonly transientCount: number;
  readonly failure: RunFailure | null;
  readonly policy: PolicyUse;
};

export type RunResumed = {
  readonly kind: "run_resumed";
  readonly runId: string;
  /** A person's resume gives the run all its tries back. */
  readonly fresh: boolean;
};

export type RunFailed = Timed & {
  readonly kind: "run_failed";
  readonly runId: string;
  readonly status: FailedStatus;
  readonly failure: RunFailure;
};

export type RunCrashed = {
  readonly kind: "run_crashed";
  readonly runId: string;
  readonly handler: string;
  readonly crashCount: number;
};

export type RunRetryOrdered = {
  readonly kind: "run_retry_ordered";
  readonly runId: string;
  readonly from: RetryFrom;
  readonly dueAt: Instant | null;
  /** Tries used up so far; the retry goes on counting from here. */
  readonly transientCount: number;
  readonly policy: PolicyUse;
};

/** A job was started by an event, and holds it until it ends. */
export type EventsReserved = {
  readonly kind: "events_reserved";
  readonly runId: string;
  readonly events: readonly ReservedEvent[];
};

export type EventsReleased = {
  readonly kind: "events_released";
  readonly runId: string;
  readonly events: readonly EventRef[];
};

export type RunAborted = Timed & {
  readonly kind: "run_aborted";
  readonly runId: string;
  readonly note: string;
};

export type KvWrite = {
  readonly key: string;
  readonly value: Payload | null;
  readonly known: boolean;
};

export type RunCommitted = Timed & {
  readonly kind: "run_committed";
  readonly runId: string;
  readonly handler: string;
  readonly events: readonly EventRef[];
  readonly disposition: "consumed" | "skipped";
  /** null = keep the state there was. */
  readonly state: Payload | null;
  /** null = leave it as it is; set by a run that found nothing to do. */
  readonly checkedThrough: Seq | null;
  readonly handlerKind: HandlerKind;
  /** Producers and jobs: when they are due again, null = not scheduled. Consumers have none. */
  readonly nextRunAt: Instant | null;
  readonly kv: readonly KvWrite[];
  /** Input ids of the deliveries that the run took. */
  readonly deliveries: readonly string[];
  /** What is left for the handler; null = the run took none. */
  readonly waitingCount: number | null;
};

export type RunFact =
  | RunStarted
  | RunPrepared
  | RunAdvanced
  | RunPaused
  | RunResumed
  | RunFailed
  | RunCrashed
  | RunRetryOrdered
  | EventsReserved
  | EventsReleased
  | RunAborted
  | RunCommitted;
