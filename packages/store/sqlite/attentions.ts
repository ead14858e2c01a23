import { type AttentionQuery, invariant, type ListedAttention } from "@holdfast/core";
import { type SqlValue, tableCodecs } from "../columns.ts";
import { limitTo, type SqliteRow } from "./connection.ts";
import type { BulkQuery } from "./journal.ts";
import { columnList } from "./row-statements.ts";

/** Each combination of conditions has an index that is in the order asked for. */
export function attentionsQuery(query: AttentionQuery): BulkQuery {
  const { workflow, isOpen, after, limit } = query;
  invariant(workflow !== null || isOpen === true, "of every workflow only the open ones are kept");
  const conditions: string[] = [];
  const values: SqlValue[] = [];
  if (workflow !== null) {
    conditions.push("workflow = ?");
    values.push(workflow);
  }
  if (isOpen !== null) conditions.push(`closed_at IS ${isOpen ? "" : "NOT "}NULL`);
  if (after !== null) {
    conditions.push("(opened_at, workflow, attention_id) < (?, ?, ?)");
    values.push(after.openedAt, after.workflow, after.attentionId);
  }
  const where = conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`;
  const sql = `SELECT workflow, ${columnList("attentions")} FROM attentions ${where}
    ORDER BY opened_at DESC, workflow DESC, attention_id DESC ${limitTo("?")}`;
  return { sql, values: [...values, limit] };
}

export function decodeAttention([workflow, ...row]: SqliteRow): ListedAttention {
  return { workflow: String(workflow), row: tableCodecs.attentions.decodeRow(row) };
}
