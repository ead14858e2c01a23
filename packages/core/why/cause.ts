import type { AttentionKind } from "../attention/attention-kind.ts";
import type { PauseReason } from "../run/run-status.ts";
import type { NextWork } from "../schedule/next-work.ts";
import type { Instant, RetryFrom, RunFailure, Seq } from "../view/rows.ts";

/** Who decided something, and when; only the journal knows it, so it is handed in. */
export type Said = { readonly actor: string; readonly at: Instant };

/** Work that is due now. */
export type DueWork = Exclude<NextWork, { kind: "wait" | "stopped" }>;

/**
 * One link between a subject and what it waits for in the end. Closed, so that every wait can be
 * put into words; `until` is when the host looks again by itself, null = not by itself.
 */
export type Cause = HoldCause | WaitCause | EventCause | EndCause;

/** What stands between the subject and the one that is to move first. */
type HoldCause =
  | { readonly kind: "held_by_run"; readonly runId: string; readonly handler: string }
  /** An open run holds up everything else of its workflow. */
  | { readonly kind: "behind_run"; readonly runId: string; readonly handler: string }
  /** A machine has asked for the same call before, under the same key. */
  | { readonly kind: "same_call"; readonly runId: string; readonly handler: string }
  | { readonly kind: "retried_as"; readonly runId: string; readonly retryOf: string }
  /** A call that a machine wants for it; `cell` is what people call the one that asked. */
  | {
      readonly kind: "held_by_intent";
      readonly runId: string;
      readonly machine: string;
      readonly cell: string | null;
    }
  /** A cell of a machine stands still, and holds it or what came of it. */
  | {
      readonly kind: "cell_stopped";
      readonly machine: string;
      /** In hexadecimal digits; null = the machine has one cell. */
      readonly key: string | null;
      readonly attentionId: string;
    }
  /** Another handler goes first: its oldest event is older, or consumers come before it. */
  | { readonly kind: "not_its_turn"; readonly handler: string; readonly first: string };

/** What the one that is to move first waits for. */
type WaitCause =
  | { readonly kind: "due_now"; readonly work: DueWork }
  | { readonly kind: "commands_waiting"; readonly count: number }
  | { readonly kind: "workflow_not_created" }
  | { readonly kind: "workflow_paused"; readonly by: Said | null }
  | { readonly kind: "workflow_archived"; readonly by: Said | null }
  | { readonly kind: "workflow_stopped"; readonly error: string }
  | {
      readonly kind: "backing_off";
      readonly runId: string;
      readonly reason: PauseReason | null;
      readonly failure: RunFailure | null;
      readonly until: Instant;
    }
  | {
      readonly kind: "person_asked";
      readonly attentionId: string;
      readonly question: AttentionKind;
      readonly about: string | null;
      readonly note: string;
      readonly answers: readonly string[];
      readonly since: Instant;
      /** When it is asked anew, or no answer is needed any more. */
      readonly until: Instant | null;
    }
  | {
      readonly kind: "brake_on";
      readonly operation: string;
      /** Null = a metered call, which is in no ledger. */
      readonly mutationId: string | null;
      /** The operation of that one; absent = it is in the ledger. */
      readonly metered?: string;
      readonly reason: string;
      readonly by: Said;
      readonly until: Instant | null;
    }
  | {
      readonly kind: "call_waits";
      readonly mutationId: string;
      readonly operation: string;
      readonly until: Instant;
    }
  /** A process elsewhere makes it, and none has asked for it. */
  | {
      readonly kind: "awaits_executor";
      readonly mutationId: string;
      readonly operation: string;
      readonly executor: string;
      /** When its approval ends; null = it has none. */
      readonly until: Instant | null;
    }
  | {
      readonly kind: "in_flight";
      readonly mutationId: string;
      readonly operation: string;
      readonly target: string;
      readonly until: Instant;
    }
  | {
      readonly kind: "finding_out";
      readonly mutationId: string;
      readonly operation: string;
      readonly target: string;
      readonly how: "ask" | "send_again" | "give_up";
      readonly until: Instant;
    }
  | {
      readonly kind: "retry_ordered";
      readonly runId: string;
      readonly from: RetryFrom;
      readonly until: Instant;
    }
  | { readonly kind: "handler_gone"; readonly handler: string; readonly runId: string }
  /** Nothing is left to do; until null = only something new can wake it. */
  /** Of the workflow's machines: a timer is due then. */
  | { readonly kind: "machines_wait"; readonly until: Instant }
  | { readonly kind: "nothing_to_do"; readonly until: Instant | null }
  /** No rule says what it waits for: a wedge. */
  | { readonly kind: "unexplained"; readonly note: string };

/** Why an event is where it is, whatever the runs do. */
type EventCause =
  /** It is published, and no machine has taken it in yet. */
  | { readonly kind: "before_machines"; readonly topic: string }
  | { readonly kind: "no_subscriber"; readonly topic: string; readonly declared: boolean }
  | {
      readonly kind: "looked_and_left";
      readonly handler: string;
      readonly checkedThrough: Seq;
      readonly until: Instant | null;
    }
  /** An input that nothing was published for yet. */
  | { readonly kind: "no_events_yet"; readonly inputId: string };

type EndCause =
  /** The machines that subscribe to the topic have it, and are done with it. */
  | {
      readonly kind: "machines_took";
      readonly topic: string;
      /** Calls that came of it and happened. */
      readonly appliedIds: readonly string[];
    }
  /** Nobody in this workflow works the topic off. */
  | { readonly kind: "observed"; readonly topic: string }
  | {
      readonly kind: "consumed";
      readonly runId: string;
      readonly at: Instant;
      /** null = the run made no outside change. */
      readonly mutationId: string | null;
    }
  | { readonly kind: "skipped"; readonly by: Said | null }
  /** A person gave up on the outcome of the mutation behind it. */
  | {
      readonly kind: "outcome_skipped";
      readonly runId: string;
      readonly mutationId: string;
      readonly by: Said;
    }
  /** A person did not agree to the call. */
  | {
      readonly kind: "call_rejected";
      readonly runId: string;
      readonly mutationId: string;
      readonly by: Said;
    }
  | { readonly kind: "run_committed"; readonly runId: string; readonly at: Instant }
  | { readonly kind: "run_aborted"; readonly runId: string; readonly at: Instant }
  | { readonly kind: "all_settled"; readonly eventCount: number };
