import type { InputStatus } from "../topic/events-of-input.ts";
import type { Cause, Said } from "./cause.ts";

export type Subject =
  | { readonly kind: "workflow" }
  | { readonly kind: "run"; readonly runId: string }
  | { readonly kind: "event"; readonly topic: string; readonly messageId: string }
  | { readonly kind: "input"; readonly inputId: string };

/** moving: what is next is due now. unexplained: a wedge, no rule says what it waits for. */
export type SubjectState = "moving" | "waiting" | "done" | "unexplained";

export type Explanation = {
  readonly subject: Subject;
  readonly state: SubjectState;
  /** From the subject to what it waits for in the end; never empty. */
  readonly because: readonly Cause[];
};

export type InputExplanation = Explanation & {
  readonly status: InputStatus;
  readonly isStale: boolean;
  /** Every event it caused, in the order they were published. */
  readonly events: readonly Explanation[];
  /** Mutations that happened for it. */
  readonly appliedIds: readonly string[];
};

/** What the rows do not say and the journal does. */
export type Witness = {
  /** Who paused or archived the workflow. */
  readonly stoppedBy: Said | null;
  /** Who skipped an event, by `eventName`, or an input, by its id. */
  readonly skippedBy: ReadonlyMap<string, Said>;
  /** Commands that were taken in and have no answer yet. */
  readonly commandsWaiting: number;
};
