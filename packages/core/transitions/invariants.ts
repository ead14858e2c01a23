import { isOfIntent } from "../intent/intent-run.ts";
import { applyRow } from "../journal/apply.ts";
import { project } from "../journal/project.ts";
import type { JournalRecord } from "../journal/record.ts";
import { isSettled } from "../mutation/ledger-state.ts";
import type { RowChange } from "../view/row-change.ts";
import type { EventRow } from "../view/rows.ts";
import { View } from "../view/view.ts";
import { type EdgeTableName, isLegalEdge } from "./edge-tables.ts";

/** What must hold after every decision, whatever it was. Empty = all of it does. */
export function brokenInvariants(view: View): string[] {
  return [
    ...openRuns(view),
    ...wrongReservations(view),
    ...orphanedMutations(view),
    ...pendingBehindMutation(view),
    ...wrongGuards(view),
    ...repeatedInItem(view),
  ];
}

function openRuns(view: View): string[] {
  const open = [...view.rows("runs")].filter((run) => run.open).map((run) => run.runId);
  return open.length > 1 ? [`several runs are open: ${open.join(", ")}`] : [];
}

/** reserved ⇔ reservedBy names an open run. */
function wrongReservations(view: View): string[] {
  return [...view.rows("events")].flatMap((event) => {
    const holder = event.reservedBy === null ? null : view.find("runs", event.reservedBy);
    const rightly = event.status === "reserved" ? holder?.open === true : event.reservedBy === null;
    return rightly ? [] : [`${nameOf(event)} is ${event.status}, held by ${event.reservedBy}`];
  });
}

function nameOf({ topic, messageId, attempt }: EventRow): string {
  return `${topic}/${messageId}@${attempt}`;
}

/** A change whose outcome is open belongs to a run that is open. */
function orphanedMutations(view: View): string[] {
  return [...view.rows("mutations")].flatMap(({ mutationId, runId, state, resolution }) => {
    const settled = isSettled(state) || resolution?.kind === "skip";
    const run = view.load("runs", runId);
    if (settled || run.open || (isOfIntent(run) && run.endedAt === null)) return [];
    return [`mutation ${mutationId} is ${state} but its run ${runId} has ended`];
  });
}

/** What may have been changed outside is not offered to a run again at the same attempt. */
function pendingBehindMutation(view: View): string[] {
  return [...view.rows("events")].flatMap((event) => {
    if (event.status !== "pending") return [];
    const consumer = view.find("topics", event.topic)?.subscriber ?? "";
    const { topic, messageId, attempt } = event;
    const guard = view.find("mutation_inputs", consumer, topic, messageId, attempt);
    return guard ? [`${nameOf(event)} is pending behind mutation ${guard.mutationId}`] : [];
  });
}

/** Guard rows exist for exactly the mutations that may be sent or were. */
function wrongGuards(view: View): string[] {
  const guarded = new Set([...view.rows("mutation_inputs")].map((row) => row.mutationId));
  return [...view.rows("mutations")].flatMap(({ mutationId, state, itemId }) => {
    const must = itemId === null && state !== "awaiting_approval" && state !== "failed";
    if (must === guarded.has(mutationId)) return [];
    return [`mutation ${mutationId} is ${state}, guard rows: ${guarded.has(mutationId)}`];
  });
}

/** An item has one mutation of a key, but for failed ones, and one at a time is under way. */
function repeatedInItem(view: View): string[] {
  const seen = new Set<string>();
  return [...view.rows("mutations")].flatMap(({ itemId, mutationKey, state, resolution }) => {
    if (itemId === null || state === "failed") return [];
    const isOpen = !isSettled(state) && resolution?.kind !== "skip";
    const names = [mutationKey, ...(isOpen ? [`open in ${itemId}`] : [])];
    const again = names.filter((name) => seen.has(name));
    for (const name of names) seen.add(name);
    return again.map((name) => `item ${itemId} has two mutations: ${name}`);
  });
}

export type WalkedEdge = {
  readonly table: EdgeTableName;
  readonly from: string;
  readonly to: string;
};

/**
 * Every change of a status, phase or state the records make, row by row. Staying where one is
 * counts for the ledger only, the one table that lists it as an edge.
 */
export function edgesWalked(records: readonly JournalRecord[]): WalkedEdge[] {
  const view = View.empty("w");
  const walked: WalkedEdge[] = [];
  for (const record of records) {
    for (const change of project(record)) {
      walked.push(...edgesOfChange(view, change));
      applyRow(view, change);
    }
  }
  return walked;
}

function edgesOfChange(view: View, change: RowChange): WalkedEdge[] {
  if (change.op === "reopen_topic") {
    return [...view.rows("events")]
      .filter(({ topic, status }) => topic === change.topic && status !== "pending")
      .map(({ status }) => ({ table: "event", from: status, to: "pending" }));
  }
  if (change.op !== "update") return [];
  const edge = (table: EdgeTableName, from: string, to: string | undefined): WalkedEdge[] => {
    const moved = to !== undefined && (to !== from || table === "ledger" || table === "proposal");
    return moved ? [{ table, from, to }] : [];
  };
  const { key } = change;
  switch (change.table) {
    case "workflows":
      return edge("workflow", view.load("workflows").status, change.set.status);
    case "events":
      return edge("event", view.load("events", ...key).status, change.set.status);
    case "mutations":
      return edge("ledger", view.load("mutations", ...key).state, change.set.state);
    case "runs": {
      const { status, phase } = view.load("runs", ...key);
      return [...edge("run", status, change.set.status), ...edge("phase", phase, change.set.phase)];
    }
    case "items":
      return edge("item", view.load("items", ...key).status, change.set.status);
    case "proposals":
      return edge("proposal", view.load("proposals", ...key).status, change.set.status);
    default:
      return [];
  }
}

/** Steps that the hand-written edge tables do not list; forward-only phases among them. */
export function illegalEdges(records: readonly JournalRecord[]): string[] {
  return edgesWalked(records)
    .filter((edge) => !isLegalEdge(edge))
    .map(({ table, from, to }) => `${table} went from ${from} to ${to}`);
}
