import type { GuaranteeLabel } from "../guarantee.ts";

/** What is wrong with a connector. What only follows from another fault is not named. */
export type FaultCode =
  /** Without any trouble it makes no change, or more than one: nothing else can be tested. */
  | "does_not_work"
  /** Applied, it says, and it was not. */
  | "applied_untrue"
  /** Failed, `execute` says, and it happened. */
  | "failed_untrue"
  /** The same of a change that was only slow. */
  | "timeout_as_failed"
  /** The same of a change whose service answered with a server error. */
  | "server_error_as_failed"
  /** Not found, `reconcile` says, and never finds what is there. */
  | "not_found_untrue"
  /** Not found, `reconcile` says at a time when it has to be there, and finds it later. */
  | "not_found_too_early"
  /** It could have found out, and never does. */
  | "never_finds_out"
  /** `reconcile` answers with something else than `execute`. */
  | "result_differs"
  /** `reconcile` was told of an error, with a status of success, and takes it for an answer. */
  | "error_as_proof"
  /** `reconcile` changes something. */
  | "reconcile_mutates"
  /** `reconcile` answers with what is no answer. */
  | "answers_nonsense"
  /** Sending again does not send the same. */
  | "key_changes"
  /** The change was made more than once, though the service is said to tell repeats. */
  | "changed_twice"
  /** One `execute` made more than one request. */
  | "several_requests"
  /** It sent without having asked, or although it was told not to. */
  | "sent_without_leave"
  /** It goes on although its signal says that nobody waits any more. */
  | "ignores_signal"
  /** It neither answers nor throws long after its time was over. */
  | "never_settles";

export type Fault = {
  readonly code: FaultCode;
  readonly scenario: string;
  readonly way: Way;
  readonly note: string;
};

/** How the host finds out about an unknown outcome. */
export type Way = "key" | "ask" | "person";

export type Trial = {
  readonly scenario: string;
  readonly way: Way;
  /** What the host would take for true in the end; unknown = a person is asked. */
  readonly says: "applied" | "failed" | "unknown" | "unsent";
  readonly changeCount: number;
  readonly requestCount: number;
};

export type ConformanceReport = {
  readonly subject: string;
  readonly claimed: GuaranteeLabel;
  /** What the trials have shown; null = none is earned. */
  readonly earned: GuaranteeLabel | null;
  readonly trials: readonly Trial[];
  readonly faults: readonly Fault[];
};

export function inWords({ subject, claimed, earned, trials, faults }: ConformanceReport): string {
  const verdict =
    earned === null ? `does not earn "${claimed}"` : `earns "${earned}" in ${trials.length} trials`;
  const lines = faults.map(({ code, scenario, way, note }) => {
    return `  ${code}: ${scenario} (by ${way}): ${note}`;
  });
  return [`${subject}: ${verdict}`, ...lines].join("\n");
}
