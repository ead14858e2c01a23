import type { Fact } from "@holdfast/core";

export type RunEnd = {
  readonly of: "run";
  readonly runId: string;
  readonly status: string;
  readonly fault: string | null;
};
export type CallEnd = {
  readonly of: "call";
  readonly mutationId: string;
  readonly status: string;
  readonly fault: string | null;
};

/** What the fact brings to an end: a run, or a stretch of one, or an attempt of a call. */
export function endOf(fact: Fact): RunEnd | CallEnd | null {
  switch (fact.kind) {
    case "run_committed":
      return { of: "run", runId: fact.runId, status: "committed", fault: null };
    case "run_paused":
      return { of: "run", runId: fact.runId, status: fact.status, fault: null };
    case "run_aborted":
      return { of: "run", runId: fact.runId, status: "aborted", fault: null };
    case "run_crashed":
      return { of: "run", runId: fact.runId, status: "crashed", fault: "crashed" };
    case "run_failed":
      return { of: "run", runId: fact.runId, status: fact.status, fault: fact.failure.class };
    case "mutation_applied":
      return { of: "call", mutationId: fact.mutationId, status: "applied", fault: null };
    case "mutation_failed":
      return {
        of: "call",
        mutationId: fact.mutationId,
        status: "failed",
        fault: fact.failure.class,
      };
    case "mutation_requeued":
      return { of: "call", mutationId: fact.mutationId, status: "ready", fault: "not_sent" };
    case "mutation_uncertain":
      return {
        of: "call",
        mutationId: fact.mutationId,
        status: "needs_reconcile",
        fault: "unknown",
      };
    case "mutation_indeterminate":
      return { of: "call", mutationId: fact.mutationId, status: "indeterminate", fault: "unknown" };
    default:
      return null;
  }
}
