import type { Rows, Store, TableName } from "@holdfast/core";

export async function rowsOf<T extends TableName>(
  store: Store,
  workflow: string,
  table: T,
): Promise<readonly Rows[T][]> {
  const rows: Rows[T][] = [];
  for await (const row of store.scan(workflow, table)) rows.push(row);
  return rows;
}
