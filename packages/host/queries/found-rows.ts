import {
  keyOf,
  keyText,
  type Need,
  type RowKey,
  type Rows,
  type Store,
  type TableName,
} from "@holdfast/core";

/** Rows by key, from however many loads; unlike a view it may hold rows of several moments. */
export class FoundRows {
  readonly #tables = new Map<TableName, Map<string, Rows[TableName]>>();
  readonly #store: Pick<Store, "load">;
  readonly #workflow: string;

  constructor(store: Pick<Store, "load">, workflow: string) {
    this.#store = store;
    this.#workflow = workflow;
  }

  async load(needs: readonly Need[]): Promise<void> {
    const distinct = new Map(needs.map((need) => [JSON.stringify(need), need]));
    if (distinct.size === 0) return;
    const { rows } = await this.#store.load(this.#workflow, [...distinct.values()]);
    for (const { table, row } of rows) this.#table(table).set(keyOf(table, row), row);
  }

  find<T extends TableName>(table: T, ...key: RowKey): Rows[T] | null {
    return this.#table(table).get(keyText(key)) ?? null;
  }

  rows<T extends TableName>(table: T): Rows[T][] {
    return [...this.#table(table).values()];
  }

  #table<T extends TableName>(table: T): Map<string, Rows[T]> {
    const known = this.#tables.get(table) ?? new Map<string, Rows[TableName]>();
    this.#tables.set(table, known);
    return known as Map<string, Rows[T]>;
  }
}

export function row(table: TableName, ...key: RowKey): Need {
  return { kind: "row", table, key };
}
