import {
  keyOf,
  keyText,
  type RowChange,
  type RowKey,
  type Rows,
  type TableName,
  type TableShape,
  tables,
} from "@holdfast/core";
import type { ConstraintName } from "../constraint-names.ts";
import { findKeyMisfit, findMisfit, type Misfit } from "../fit.ts";
import { findViolation, type JudgedWrite, type Violation } from "./constraints.ts";
import { keysOf } from "./indexes.ts";
import { keepRow, keepUpdate } from "./stored-value.ts";
import { type RowWrite, type WorkflowState, writeRow } from "./workflow-state.ts";

/**
 * The rows of one change while it is being written. Rows are written in place, so that each sees
 * the ones before it, and taken back if a later one is refused; nobody can look in between,
 * because nothing here waits.
 */
export class RowTransaction {
  readonly #state: WorkflowState;
  readonly #enforced: ReadonlySet<ConstraintName>;
  readonly #written: RowWrite[] = [];

  constructor(state: WorkflowState, enforced: ReadonlySet<ConstraintName>) {
    this.#state = state;
    this.#enforced = enforced;
  }

  /** Null when every row is written; otherwise the caller takes all of them back. */
  write(rows: readonly RowChange[]): Violation | null {
    for (const row of rows) {
      const violation = this.#writeOne(row);
      if (violation !== null) return violation;
    }
    return null;
  }

  takeBack(): void {
    for (const { table, key, before, after } of this.#written.toReversed()) {
      writeRow(this.#state, { table, key, before: after, after: before });
    }
    this.#written.length = 0;
  }

  #writeOne(row: RowChange): Violation | null {
    switch (row.op) {
      case "insert":
        return this.#insert<TableName>(row.table, row.row);
      case "update":
        return (
          this.#misfit(findKeyMisfit(row.table, row.key)) ??
          this.#update<TableName>(row.table, keyText(row.key), row.set)
        );
      case "delete":
        return this.#misfit(findKeyMisfit(row.table, row.key)) ?? this.#delete(row.table, row.key);
      case "reopen_topic":
        return this.#reopenTopic(row.topic, row.revision);
      case "clear_kv":
        return this.#clearKv(row.handler);
    }
  }

  #insert<T extends TableName>(table: T, row: Rows[T]): Violation | null {
    const misfit = this.#misfit(findMisfit(table, row, true));
    if (misfit !== null) return misfit;
    const key = keyOf(table, row);
    const before = this.#find(table, key);
    const constraint = table === "mutation_inputs" ? "mutation_inputs_once" : "row_exists";
    if (before !== null && this.#enforced.has(constraint)) {
      return { constraint, note: `${table} ${key} is there already` };
    }
    return this.#put({ table, key, before, after: keepRow(table, row), named: null });
  }

  #update<T extends TableName>(table: T, key: string, set: Partial<Rows[T]>): Violation | null {
    const misfit = this.#misfit(findMisfit(table, set, false));
    if (misfit !== null) return misfit;
    const before = this.#find(table, key);
    if (before === null) return this.#missing(table, key);
    const shape: TableShape<T> = tables[table];
    const keyColumn = shape.key.find((column) => column in set);
    if (keyColumn !== undefined && this.#enforced.has("key_fixed")) {
      return { constraint: "key_fixed", note: `${table} ${key}: ${keyColumn} is part of the key` };
    }
    return this.#put({ table, key, before, after: keepUpdate(table, before, set), named: set });
  }

  #delete(table: TableName, key: RowKey): Violation | null {
    const text = keyText(key);
    const before = this.#find(table, text);
    if (before === null) return this.#missing(table, text);
    return this.#put({ table, key: text, before, after: null, named: null });
  }

  #misfit(misfit: Misfit | null): Violation | null {
    return misfit !== null && this.#enforced.has(misfit.constraint) ? misfit : null;
  }

  #missing(table: TableName, key: string): Violation | null {
    if (!this.#enforced.has("row_missing")) return null;
    return { constraint: "row_missing", note: `${table} ${key} is not there` };
  }

  #reopenTopic(topic: string, revision: number): Violation | null {
    for (const key of [...keysOf(this.#state.indexes, "eventsByTopic", topic)]) {
      const event = this.#find("events", key);
      if (event?.status !== "consumed" && event?.status !== "skipped") continue;
      const reopened = { status: "pending", attempt: event.attempt + 1, revision } as const;
      const violation = this.#update("events", key, reopened);
      if (violation !== null) return violation;
    }
    return null;
  }

  #clearKv(handler: string): Violation | null {
    for (const key of [...keysOf(this.#state.indexes, "kvByHandler", handler)]) {
      const before = this.#find("handler_kv", key);
      const violation = this.#put({ table: "handler_kv", key, before, after: null, named: null });
      if (violation !== null) return violation;
    }
    return null;
  }

  #find<T extends TableName>(table: T, key: string): Rows[T] | null {
    const rows: Map<string, Rows[T]> = this.#state.tables[table];
    return rows.get(key) ?? null;
  }

  #put<T extends TableName>(write: JudgedWrite<T>): Violation | null {
    const violation = findViolation(this.#state, write, this.#enforced);
    if (violation !== null) return violation;
    writeRow(this.#state, write);
    this.#written.push(write as unknown as RowWrite);
    return null;
  }
}
