import type { Draft } from "../journal/decision.ts";
import type { RetryFrom, RunRow } from "../view/rows.ts";
import type { View } from "../view/view.ts";
import { mutationsOf } from "./find-runs.ts";
import type { RunRetryOrdered } from "./run-facts.ts";

/**
 * After the outside change happened or was skipped, only `next` is left to do, with the pinned
 * result. Before that everything starts over, unless the consumer asked to keep its selection.
 */
export function retryFrom(view: View, run: RunRow): RetryFrom {
  if (run.kind !== "consumer") return "executing";
  if (run.outcome === "applied" || run.outcome === "skipped") return "emitting";
  const replays = view.load("handlers", run.handler).onMutationFailed === "replay";
  const failedOnce = mutationsOf(view, run.runId).some((m) => m.state === "failed");
  return replays && failedOnce ? "mutating" : "preparing";
}

/** A person's order gives the retry all its tries back; the host's own goes on counting. */
export function orderRetry(
  draft: Draft,
  { runId }: RunRow,
  from: RetryFrom,
  how: Pick<RunRetryOrdered, "dueAt" | "transientCount" | "policy"> = fresh,
): void {
  draft.emit({ kind: "run_retry_ordered", runId, from, ...how });
}

const fresh = { dueAt: null, transientCount: 0, policy: {} };
