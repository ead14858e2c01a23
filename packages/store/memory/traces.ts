import type { Change, Instant, KeptTrace, Seq } from "@holdfast/core";
import type { WorkflowState } from "./workflow-state.ts";

/** In the order of their positions, because heads only grow. */
export function keepTrace(state: WorkflowState, change: Change): void {
  const { trace, forgetTracesThrough: through } = change;
  if (trace !== null) {
    const { runId, at, text } = trace;
    state.traces.push(Object.freeze({ seq: state.head.seq, runId, at, text }));
  }
  if (through !== null) state.traces = state.traces.filter(({ seq }) => seq > through);
}

export function readTraces(state: WorkflowState, after: Seq, limit: number): readonly KeptTrace[] {
  return state.traces.filter(({ seq }) => seq > after).slice(0, limit);
}

export function pruneTraces(
  workflows: ReadonlyMap<string, WorkflowState>,
  before: Instant,
  limit: number,
): number {
  const old = [...workflows.values()]
    .flatMap((state) => state.traces.map((trace) => ({ state, trace })))
    .filter(({ trace }) => trace.at < before)
    .sort((left, right) => left.trace.at - right.trace.at)
    .slice(0, limit);
  for (const { state, trace } of old) {
    state.traces = state.traces.filter((each) => each !== trace);
  }
  return old.length;
}
