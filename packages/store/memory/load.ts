import {
  deliveriesPerRunMax,
  keyOf,
  keyText,
  type Loaded,
  machineInputsMax,
  type Need,
  type Rows,
  type TableName,
  type TableRow,
} from "@holdfast/core";
import { type IndexName, inIndex, keysOf } from "./indexes.ts";
import { oldestPending } from "./peek.ts";
import { giveRow } from "./stored-value.ts";
import type { WorkflowState } from "./workflow-state.ts";

export function load(state: WorkflowState, needs: readonly Need[]): Loaded {
  const gathering = new Gathering(state);
  for (const need of needs) gathering.meet(need);
  return {
    workflow: state.workflow,
    head: state.head,
    epoch: state.epoch,
    rows: [...gathering.rows.values()],
    absent: [...gathering.absent.values()],
    needs,
  };
}

/** Rows by table and key, so that each comes once. */
class Gathering {
  readonly rows = new Map<string, TableRow>();
  readonly absent = new Map<string, Loaded["absent"][number]>();
  readonly #state: WorkflowState;

  constructor(state: WorkflowState) {
    this.#state = state;
  }

  meet(need: Need): void {
    switch (need.kind) {
      case "base":
        return this.#base();
      case "row": {
        const key = keyText(need.key);
        if (this.#row(need.table, key) === null) {
          this.absent.set(keyText([need.table, key]), { table: need.table, key: need.key });
        }
        return;
      }
      case "input":
        return this.#input(need.inputId);
      case "run":
        return this.#run(need.runId);
      case "uses":
        return this.#uses(keyText([need.topic, need.messageId]));
      case "mutation_key":
        return this.#indexed("mutations", "mutationsByKey", need.mutationKey);
      case "item":
        return this.#item(need.itemId, need.everyAttempt);
      case "oldest_pending":
        return this.#oldestPending();
      case "machine_inputs":
        return this.#machineInputs();
      case "waiting_deliveries":
        return this.#waitingDeliveries(need.handler);
    }
  }

  #base(): void {
    for (const table of ["workflows", "topics", "handlers", "brakes"] as const) this.#all(table);
    this.#indexed("attentions", "openAttentions", inIndex);
    for (const runId of keysOf(this.#state.indexes, "openIntents", inIndex)) {
      const run = this.#row("runs", runId);
      if (run?.mutationId) this.#row("mutations", run.mutationId);
      if (run?.itemId) this.#row("items", run.itemId);
    }
    for (const runId of keysOf(this.#state.indexes, "openRuns", inIndex)) {
      const run = this.#row("runs", runId);
      this.#indexed("reservations", "reservationsByRun", runId);
      this.#indexed("events", "eventsByHolder", runId);
      if (run?.kind !== "job") this.#indexed("mutations", "mutationsByRun", runId);
      if (run?.mutationId) this.#row("mutations", run.mutationId);
      if (run?.itemId) this.#row("items", run.itemId);
    }
  }

  #item(itemId: string, everyAttempt = false): void {
    const item = this.#row("items", itemId);
    if (item === null) return;
    for (let attempt = everyAttempt ? 1 : item.attempt; attempt <= item.attempt; attempt++) {
      this.#indexed("mutations", "mutationsByItem", keyText([itemId, attempt]));
    }
  }

  #input(inputId: string): void {
    this.#row("inputs", inputId);
    this.#row("deliveries", inputId);
    for (const key of keysOf(this.#state.indexes, "eventsByInput", inputId)) {
      const link = this.#state.tables.event_inputs.get(key);
      if (link === undefined) continue;
      const event = keyText([link.topic, link.messageId]);
      this.#row("events", event);
      this.#uses(event);
    }
  }

  #uses(event: string): void {
    const { indexes, tables } = this.#state;
    for (const key of keysOf(indexes, "usesByEvent", event)) {
      const use = this.#row("event_uses", key);
      if (use === null) continue;
      this.#row("runs", use.usedBy);
      this.#indexed("mutations", "mutationsByRun", use.usedBy);
      this.#row("attentions", use.usedBy);
    }
    const row = tables.events.get(event);
    if (row !== undefined) this.#row("machine_inputs", keyText([row.position + 1]));
  }

  #run(runId: string): void {
    this.#row("runs", runId);
    for (const key of keysOf(this.#state.indexes, "reservationsByRun", runId)) {
      const reservation = this.#row("reservations", key);
      if (reservation === null) continue;
      this.#row("events", keyText([reservation.topic, reservation.messageId]));
    }
    this.#indexed("mutations", "mutationsByRun", runId);
  }

  #oldestPending(): void {
    for (const topic of this.#state.tables.topics.values()) {
      if (topic.subscriber === null) continue;
      const event = oldestPending(this.#state, topic.name);
      if (event !== null) this.#row("events", keyOf("events", event));
    }
  }

  #waitingDeliveries(handler: string): void {
    const { indexes, tables } = this.#state;
    const waiting = [...keysOf(indexes, "waitingDeliveries", handler)]
      .flatMap((key) => tables.deliveries.get(key) ?? [])
      .sort((a, b) => a.position - b.position);
    for (const row of waiting.slice(0, deliveriesPerRunMax)) {
      this.#row("deliveries", keyOf("deliveries", row));
    }
  }

  #machineInputs(): void {
    const waiting = [...this.#state.tables.machine_inputs.values()].sort(
      (a, b) => a.position - b.position,
    );
    for (const row of waiting.slice(0, machineInputsMax)) {
      this.#row("machine_inputs", keyOf("machine_inputs", row));
    }
  }

  #all(table: TableName): void {
    for (const key of this.#state.tables[table].keys()) this.#row(table, key);
  }

  #indexed(table: TableName, index: IndexName, value: string): void {
    for (const key of keysOf(this.#state.indexes, index, value)) this.#row(table, key);
  }

  #row<T extends TableName>(table: T, key: string): Rows[T] | null {
    const stored: Map<string, Rows[T]> = this.#state.tables[table];
    const row = stored.get(key);
    if (row === undefined) return null;
    const name = keyText([table, key]);
    if (!this.rows.has(name)) {
      this.rows.set(name, { table, row: giveRow(table, row) } as unknown as TableRow);
    }
    return row;
  }
}
