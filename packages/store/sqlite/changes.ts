import { type Changes, invariant } from "@holdfast/core";
import { decodeCursor, encodeCursor } from "../cursor.ts";
import type { Connection, SqliteRow } from "./connection.ts";
import type { BulkQuery } from "./journal.ts";

/**
 * A cursor is a rowid of the journal. One writer gives them out in the order of its commits, each
 * one more than the greatest that is there; a row that is taken back was never seen. No row is
 * ever deleted, so none is used twice and even VACUUM numbers them as before. Whoever archives
 * part of the journal one day has to keep them unused.
 */
export type ChangeReading = {
  readonly query: BulkQuery;
  readonly recordCount: number;
  readonly cursor: string;
};

export function changesAfter(
  connection: Connection,
  after: string | null,
  storeIncarnation: string,
): ChangeReading {
  const last = connection.row("SELECT coalesce(max(rowid), 0) FROM journal")?.[0];
  invariant(typeof last === "number", "a journal has a last row or none");
  const place = after === null ? last : decodeCursor(after, { storeIncarnation, last });
  const sql = `SELECT id, head FROM workflows WHERE id IN (
    SELECT workflow FROM journal WHERE rowid > ? AND rowid <= ?)`;
  return {
    query: { sql, values: [place, last] },
    recordCount: last - place,
    cursor: encodeCursor({ place: last, storeIncarnation }),
  };
}

export function decodeChanged([workflow, head]: SqliteRow): Changes["changed"][number] {
  return { workflow: String(workflow), head: Number(head) };
}
