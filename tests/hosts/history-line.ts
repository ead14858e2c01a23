/**
 * What a host tells its parent over a pipe, one line of JSON each, written synchronously: what was
 * said before a death or a stop was said. Everything carries the machine's monotonic clock, which
 * all its processes share, so that the lines of several hosts make one history.
 */

/** Nanoseconds since the machine started. */
export type Nanos = number;

export function nanos(): Nanos {
  return Number(process.hrtime.bigint());
}

export const nanosPerMs = 1_000_000;

/** An ownership ends when it is released, with the lease, or when its host notices the end. */
export type HoldLine =
  | { readonly kind: "joined"; readonly incarnation: string; readonly at: Nanos }
  /** `at` = when the answer had come. */
  | {
      readonly kind: "claimed";
      readonly incarnation: string;
      readonly workflow: string;
      readonly epoch: number;
      readonly at: Nanos;
    }
  /** Until when it would act, after the last answer that extended its lease. */
  | {
      readonly kind: "believes";
      readonly incarnation: string;
      readonly until: Nanos;
      readonly at: Nanos;
    }
  /** Before it asks; null = all it has. */
  | {
      readonly kind: "releasing";
      readonly incarnation: string;
      readonly workflow: string | null;
      readonly at: Nanos;
    }
  | {
      readonly kind: "lost";
      readonly incarnation: string;
      readonly reason: string;
      readonly at: Nanos;
    };

/** Said before the store is asked, so that the parent knows every change a journal may hold. */
export type AskedLine = {
  readonly kind: "asked";
  readonly workflow: string;
  readonly epoch: number;
  /** The head it expects. */
  readonly after: number;
  /** Of every record, in order. */
  readonly hashes: readonly string[];
  readonly at: Nanos;
};

export type AnsweredLine = {
  readonly kind: "answered";
  readonly workflow: string;
  readonly epoch: number;
  readonly after: number;
  readonly seq: number;
  readonly hash: string;
  readonly answer: "committed" | "conflict" | "budget_moved" | "lease_lost" | "refused" | "unknown";
  readonly sentAt: Nanos;
  readonly at: Nanos;
};

export type CommandLine = {
  readonly kind: "appending" | "appended";
  readonly workflow: string;
  readonly commandId: string;
};

export type HistoryLine =
  | HoldLine
  | AskedLine
  | AnsweredLine
  | CommandLine
  /** The first time it comes to a hook. */
  | { readonly kind: "passed"; readonly hook: string }
  | { readonly kind: "stopping"; readonly hook: string; readonly at: Nanos }
  | { readonly kind: "continued"; readonly hook: string; readonly at: Nanos }
  | { readonly kind: "trouble"; readonly doing: string; readonly note: string }
  /** It has left, and ends. */
  | { readonly kind: "finished" };

/** A change that was really made outside; `checkedAt` = the last look at the lease before it. */
export type OutsideLine = {
  readonly mutationKey: string;
  readonly workflow: string;
  readonly epoch: number;
  /** Names of the events behind it. */
  readonly events: readonly string[];
  readonly checkedAt: Nanos;
  readonly at: Nanos;
};

/** The pipe's descriptor in the child. */
export const historyDescriptor = 3;
