import type { Peek } from "@holdfast/core";
import { tableCodecs } from "../columns.ts";
import { type Connection, limitTo } from "./connection.ts";
import { requireWorkflow } from "./load.ts";
import { columnList } from "./row-statements.ts";

/**
 * Walks the index of unsettled events from the low-water mark: settled events are not in it, so
 * the cost is that of the limit, whatever was consumed before.
 */
const fromLowWater = `
FROM events INDEXED BY events_unsettled
WHERE workflow = ?1 AND topic = ?2 AND (status = 'pending' OR status = 'reserved')
  AND position >= coalesce((
    SELECT low_water FROM topics WHERE workflow = ?1 AND name = ?2), 0)`;

export const pendingEvents = `
SELECT ${columnList("events")} ${fromLowWater} AND status = 'pending'
ORDER BY position ${limitTo("?3")}`;

export const lowestUnsettled = `SELECT min(position) ${fromLowWater}`;

export function peekEvents(
  connection: Connection,
  at: { readonly workflow: string; readonly topic: string; readonly limit: number },
): Peek {
  const { workflow, topic, limit } = at;
  const rows = connection.rows(pendingEvents, workflow, topic, limit);
  if (rows.length === 0) requireWorkflow(connection, workflow);
  const [lowest] = connection.row(lowestUnsettled, workflow, topic) ?? [];
  return {
    events: rows.map((row) => tableCodecs.events.decodeRow(row)),
    settledBelow: typeof lowest === "number" ? lowest : null,
  };
}
