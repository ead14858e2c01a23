import { type EventRow, keyText, type Rows, type Store, type TableName } from "@holdfast/core";

type Named = Pick<EventRow, "topic" | "messageId">;

export const eventKey = ({ topic, messageId }: Named): string => keyText([topic, messageId]);

/**
 * One pass over a table for the few rows that belong to what is asked. The port has no way to
 * begin at a key or to look these up by event, so the pass is over all of it.
 */
async function pickRows<T extends TableName>(
  store: Pick<Store, "scan">,
  workflow: string,
  table: T,
  belongs: (row: Rows[T]) => boolean,
): Promise<Rows[T][]> {
  const picked: Rows[T][] = [];
  for await (const row of store.scan(workflow, table)) if (belongs(row)) picked.push(row);
  return picked;
}

/** Every run that ever pinned one of the events. */
export async function runsThatHeld(
  store: Pick<Store, "scan">,
  workflow: string,
  events: readonly EventRow[],
): Promise<string[]> {
  const keys = new Set(events.filter(({ deliveryCount }) => deliveryCount > 0).map(eventKey));
  if (keys.size === 0) return [];
  const rows = await pickRows(store, workflow, "reservations", (each) => keys.has(eventKey(each)));
  return [...new Set(rows.map(({ runId }) => runId))];
}
