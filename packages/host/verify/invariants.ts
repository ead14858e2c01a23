import { isSettled, type MutationRow, openIntentRuns, type Seq, type View } from "@holdfast/core";
import type { Problem } from "./verify-report.ts";

/**
 * What must hold whatever happened. A violation is reported loudly and never repaired: it means a
 * promise was broken, and only a person can judge what that did outside.
 */
export function brokenInvariants(view: View): Problem[] {
  const problems: Problem[] = [];
  const report = (note: string, position: Seq) =>
    problems.push({ code: "INVARIANT_BROKEN", workflow: view.workflow, position, note });
  const openRuns = [...view.rows("runs")].filter((run) => run.open);
  if (openRuns.length > 1) {
    report(`runs ${openRuns.map((run) => run.runId).join(", ")} are open at once`, view.head.seq);
  }
  const openIds = new Set(openRuns.map((run) => run.runId));
  checkReservations(view, openIds, report);
  const intentIds = openIntentRuns(view).map((run) => run.runId);
  checkMutations(view, new Set([...openIds, ...intentIds]), report);
  checkGuards(view, report);
  checkDeliveries(view, report);
  return problems;
}

type Report = (note: string, position: Seq) => void;

function checkReservations(view: View, openIds: ReadonlySet<string>, report: Report): void {
  for (const { topic, messageId, status, reservedBy, revision } of view.rows("events")) {
    const name = `event ${topic} ${messageId}`;
    if ((status === "reserved") !== (reservedBy !== null)) {
      report(`${name} is ${status} but held by ${reservedBy ?? "nobody"}`, revision);
    }
    if (reservedBy === null) continue;
    if (!openIds.has(reservedBy)) {
      report(`${name} is held by run ${reservedBy}, which has ended`, revision);
    }
    if (!view.find("reservations", reservedBy, topic, messageId)) {
      report(`${name} is held without a reservation`, revision);
    }
  }
}

function checkMutations(view: View, openIds: ReadonlySet<string>, report: Report): void {
  const live = new Map<string, string>();
  for (const mutation of view.rows("mutations")) {
    const { mutationId, runId, state, resolution } = mutation;
    const unresolved = !isSettled(state) && resolution?.kind !== "skip";
    if (unresolved && !openIds.has(runId)) {
      report(`mutation ${mutationId} is ${state}, but its run ${runId} has ended`, view.head.seq);
    }
    if (state === "failed") continue;
    const of = onceFor(mutation);
    const other = live.get(of);
    if (other) report(`${of} has two mutations, ${other} and ${mutationId}`, view.head.seq);
    live.set(of, mutationId);
  }
}

/** A consumer's run has one mutation; an item has one of each key. */
function onceFor({ runId, itemId, mutationKey }: MutationRow): string {
  return itemId === null ? `run ${runId}` : `item ${itemId} with key ${mutationKey}`;
}

/** A handler is due for as many deliveries as wait: one too few and they wait for ever. */
function checkDeliveries(view: View, report: Report): void {
  const waiting = new Map<string, number>();
  for (const { handler, status } of view.rows("deliveries")) {
    if (status === "waiting") waiting.set(handler, (waiting.get(handler) ?? 0) + 1);
  }
  for (const { name, waitingCount } of view.rows("handlers")) {
    const count = waiting.get(name) ?? 0;
    if (count === waitingCount) continue;
    report(`${count} deliveries wait for ${name}, which knows of ${waitingCount}`, view.head.seq);
  }
}

/** No event may be free for another mutation while one stands behind it. */
function checkGuards(view: View, report: Report): void {
  for (const { topic, messageId, attempt, mutationId } of view.rows("mutation_inputs")) {
    const event = view.find("events", topic, messageId);
    if (event?.status === "pending" && event.attempt === attempt) {
      report(`event ${topic} ${messageId} is free, but ${mutationId} stands`, event.revision);
    }
    if (view.find("mutations", mutationId)?.state === "failed") {
      report(`mutation ${mutationId} failed but still guards ${messageId}`, view.head.seq);
    }
  }
}
