import type { CoreCommand } from "../command.ts";
import { applyRule, decisionOf } from "../decide.ts";
import { foldCommand } from "../inbox/fold-command.ts";
import { parseCommand } from "../inbox/parse-command.ts";
import { openIntentRuns } from "../intent/intent-run.ts";
import { type Decision, Draft } from "../journal/decision.ts";
import { needsOf } from "../needs.ts";
import {
  deliveriesPerRunMax,
  type InboxEntry,
  type Loaded,
  machineInputsMax,
  type Need,
  type TableRow,
} from "../ports/store.ts";
import type { EventRef } from "../topic/topic-facts.ts";
import type { RowKey } from "../view/row-change.ts";
import type { DeliveryRow, EventRow, Instant, Rows } from "../view/rows.ts";
import { keyOf, type TableName } from "../view/tables.ts";
import { View } from "../view/view.ts";

/** What a store would answer, word for word as the port promises it and not a row more. */
export function loadFrom(full: View, needs: readonly Need[]): Loaded {
  const rows = new Map<string, TableRow>();
  const absent: { table: TableName; key: RowKey }[] = [];
  const take = <T extends TableName>(table: T, keep: (row: Rows[T]) => boolean): void => {
    for (const row of full.rows(table)) {
      if (keep(row)) rows.set(`${table} ${keyOf(table, row)}`, { table, row } as TableRow);
    }
  };
  for (const need of needs) {
    if (need.kind === "row" && !full.find(need.table, ...need.key)) absent.push(need);
    else takeNeed(full, need, take);
  }
  return {
    workflow: full.workflow,
    head: full.head,
    epoch: 1,
    rows: [...rows.values()],
    absent,
    needs,
  };
}

type Take = <T extends TableName>(table: T, keep: (row: Rows[T]) => boolean) => void;

function takeNeed(full: View, need: Need, take: Take): void {
  switch (need.kind) {
    case "base":
      return takeBase(full, take);
    case "row":
      return take(need.table, (row) => row === full.find(need.table, ...need.key));
    case "input":
      take("inputs", (row) => row.inputId === need.inputId);
      take("deliveries", (row) => row.inputId === need.inputId);
      take("events", (row) => row.causedBy.includes(need.inputId));
      for (const event of full.rows("events")) {
        if (event.causedBy.includes(need.inputId)) takeUses(full, event, take);
      }
      return;
    case "uses":
      return takeUses(full, need, take);
    case "run":
      return takeRun(full, need.runId, take);
    case "mutation_key":
      return take("mutations", (row) => row.mutationKey === need.mutationKey);
    case "item": {
      const item = full.find("items", need.itemId);
      take("items", (row) => row.itemId === need.itemId);
      return take(
        "mutations",
        (row) => row.itemId === need.itemId && row.attempt === item?.attempt,
      );
    }
    case "waiting_deliveries": {
      const oldest = waitingDeliveries(full, need.handler);
      return take("deliveries", (row) => oldest.has(row));
    }
    case "machine_inputs": {
      const oldest = [...full.rows("machine_inputs")]
        .sort((a, b) => a.position - b.position)
        .slice(0, machineInputsMax);
      return take("machine_inputs", (row) => oldest.includes(row));
    }
    case "oldest_pending": {
      const oldest = oldestPending(full);
      return take("events", (row) => oldest.has(row));
    }
  }
}

function takeBase(full: View, take: Take): void {
  for (const table of ["workflows", "topics", "handlers", "brakes"] as const) {
    take(table, () => true);
  }
  for (const { runId, mutationId, itemId } of openIntentRuns(full)) {
    take("runs", (row) => row.runId === runId);
    take("mutations", (row) => row.mutationId === mutationId);
    take("items", (row) => row.itemId === itemId);
  }
  take("attentions", (row) => row.closedAt === null);
  const run = [...full.rows("runs")].find((row) => row.open);
  if (!run) return;
  take("runs", (row) => row === run);
  take("reservations", (row) => row.runId === run.runId);
  take("events", (row) => row.reservedBy === run.runId);
  take("items", (row) => row.itemId === run.itemId);
  take("mutations", (row) => row.mutationId === run.mutationId);
  if (run.kind !== "job") take("mutations", (row) => row.runId === run.runId);
}

function takeRun(full: View, runId: string, take: Take): void {
  const pinned = [...full.rows("reservations")].filter((row) => row.runId === runId);
  take("runs", (row) => row.runId === runId);
  take("reservations", (row) => row.runId === runId);
  take("mutations", (row) => row.runId === runId);
  take("events", ({ topic, messageId }) =>
    pinned.some((row) => row.topic === topic && row.messageId === messageId),
  );
}

function takeUses(full: View, { topic, messageId }: EventRef, take: Take): void {
  const isOf = (row: EventRef) => row.topic === topic && row.messageId === messageId;
  const uses = new Set([...full.rows("event_uses")].filter(isOf).map(({ usedBy }) => usedBy));
  const event = full.find("events", topic, messageId);
  take("event_uses", isOf);
  take("runs", ({ runId }) => uses.has(runId));
  take("mutations", ({ runId }) => uses.has(runId));
  take("attentions", ({ attentionId }) => uses.has(attentionId));
  take("machine_inputs", ({ position }) => position - 1 === event?.position);
}

function waitingDeliveries(full: View, handler: string): Set<DeliveryRow> {
  const waiting = [...full.rows("deliveries")]
    .filter((row) => row.handler === handler && row.status === "waiting")
    .sort((a, b) => a.position - b.position);
  return new Set(waiting.slice(0, deliveriesPerRunMax));
}

function oldestPending(full: View): Set<EventRow> {
  const oldest = new Map<string, EventRow>();
  for (const event of full.rows("events")) {
    const subscriber = full.load("topics", event.topic).subscriber;
    if (event.status !== "pending" || subscriber === null) continue;
    const known = oldest.get(event.topic);
    if (!known || event.position < known.position) oldest.set(event.topic, event);
  }
  return new Set(oldest.values());
}

export function partialView(full: View, needs: readonly Need[] = [{ kind: "base" }]): View {
  return View.fromLoaded(loadFrom(full, needs), full.policy);
}

/** The same decision from `base` and the declared needs only, the way an owner makes it. */
export function decidePartially(
  full: View,
  commands: readonly CoreCommand[],
  now: Instant,
): Decision {
  const view = partialView(full);
  const draft = new Draft(view, now);
  for (const command of commands) {
    view.add(loadFrom(full, needsOf(draft.view, command)));
    const refusal = applyRule(draft, command);
    if (refusal) return { ok: false, refusal };
  }
  return decisionOf(draft);
}

export function foldPartially(full: View, entry: InboxEntry, now: Instant): Decision {
  const view = partialView(full);
  const command = parseCommand(entry);
  if (!("code" in command)) view.add(loadFrom(full, needsOf(view, command)));
  return foldCommand(view, entry, now);
}
