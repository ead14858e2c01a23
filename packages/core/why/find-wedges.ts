import { openIntentRuns } from "../intent/intent-run.ts";
import { isSettled } from "../mutation/ledger-state.ts";
import type { Policy } from "../policy/policy.ts";
import type { WorkflowSummary } from "../ports/store.ts";
import { findOpenRun } from "../run/find-runs.ts";
import { eventName } from "../topic/event-name.ts";
import type { EventRow, Instant, MutationRow, RunRow } from "../view/rows.ts";
import type { View } from "../view/view.ts";
import { chainOfOpenRun } from "./explain-run.ts";
import { noWitness } from "./witness.ts";

/** What no rule explains. It is reported loudly and never repaired. */
export type Wedge = {
  readonly kind:
    | "orphan_reservation"
    | "stuck_run"
    | "uncovered_event"
    | "orphan_mutation"
    | "second_open_run"
    | "overdue";
  /** Run, mutation, event name or workflow. */
  readonly id: string;
  readonly note: string;
};

/** All wedges among the rows of the view. */
export function findWedges(view: View, now: Instant): Wedge[] {
  if (!view.find("workflows")) return [];
  const wedges = wedgesOfRuns(view, now);
  for (const event of view.rows("events")) wedges.push(...wedgesOfEvent(view, event));
  for (const mutation of view.rows("mutations")) wedges.push(...wedgesOfMutation(view, mutation));
  return wedges;
}

/** An open run that nothing will ever move and no question is open for. */
export function wedgesOfRuns(view: View, now: Instant): Wedge[] {
  const [run, ...others] = [...view.rows("runs")].filter(({ open }) => open);
  if (!run) return [];
  const second = others.map(({ runId }) => secondRun(run, runId));
  const { state, because } = chainOfOpenRun({ view, now, witness: noWitness }, run);
  if (state !== "unexplained") return second;
  const notes = because.flatMap((cause) => (cause.kind === "unexplained" ? [cause.note] : []));
  return [...second, { kind: "stuck_run", id: run.runId, note: notes.join("; ") }];
}

function secondRun({ runId: first }: RunRow, id: string): Wedge {
  return { kind: "second_open_run", id, note: `runs ${first} and ${id} are open at once` };
}

/** Of the view only `base` is needed, so that a table of any size can be gone through. */
export function wedgesOfEvent(view: View, event: EventRow): Wedge[] {
  const id = eventName(event);
  const { status, reservedBy, topic, revision } = event;
  if (status === "reserved") {
    if (findOpenRun(view)?.runId === reservedBy) return [];
    const note = `it is held by run ${reservedBy ?? "nobody"}, which is not open`;
    return [{ kind: "orphan_reservation", id, note }];
  }
  const subscriber = status === "pending" ? view.find("topics", topic)?.subscriber : null;
  if (!subscriber) return [];
  const handler = view.find("handlers", subscriber);
  if (!handler?.declared) {
    const note = `its topic is for ${subscriber}, which the active version lacks`;
    return [{ kind: "uncovered_event", id, note }];
  }
  const { kind, checkedThrough, subscribe } = handler;
  const newest = Math.max(
    ...subscribe.map((name) => view.find("topics", name)?.lastPendingSeq ?? 0),
  );
  if (kind !== "consumer" || revision <= checkedThrough || newest > checkedThrough) return [];
  const note = `it came at ${revision}, ${subscriber} looked up to ${checkedThrough} and sleeps`;
  return [{ kind: "uncovered_event", id, note }];
}

/** Of the view only `base` is needed. */
export function wedgesOfMutation(view: View, mutation: MutationRow): Wedge[] {
  const { mutationId, runId, state, resolution } = mutation;
  if (isSettled(state) || resolution?.kind === "skip") return [];
  if (findOpenRun(view)?.runId === runId) return [];
  if (openIntentRuns(view).some((run) => run.runId === runId)) return [];
  const note = `it is ${state}, but its run ${runId} is not open`;
  return [{ kind: "orphan_mutation", id: mutationId, note }];
}

/** Work is due, and nothing was written for longer than any step of it should take. */
export function wedgesOfDelay(summary: WorkflowSummary, now: Instant, policy: Policy): Wedge[] {
  const { workflow, dueAt, head, owner } = summary;
  if (dueAt === null) return [];
  const since = Math.max(dueAt, head.at);
  if (now - since <= policy.overdueMs) return [];
  const who = owner === null ? "no host works for it" : `${owner} should work for it`;
  const note = `work is due for ${Math.round((now - since) / 1_000)} seconds, and ${who}`;
  return [{ kind: "overdue", id: workflow, note }];
}
