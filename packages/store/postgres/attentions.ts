import { type AttentionQuery, invariant, type ListedAttention } from "@holdfast/core";
import { type SqlValue, tableCodecs } from "../columns.ts";
import type { Database } from "./connection.ts";
import { columnList } from "./found-row.ts";
import { requireWorkflow } from "./load.ts";

export async function listAttentions(
  database: Database,
  query: AttentionQuery,
): Promise<readonly ListedAttention[]> {
  const { workflow } = query;
  const { sql, values } = attentionsSql(query);
  const rows = await database.rows("list attentions", sql, values);
  if (rows.length === 0 && workflow !== null) {
    await requireWorkflow(database, "list attentions", workflow);
  }
  return rows.map(([owner, ...row]) => ({
    workflow: String(owner),
    row: tableCodecs.attentions.decodeRow(row as readonly SqlValue[]),
  }));
}

/** Each combination of conditions has an index that is in the order asked for. */
function attentionsSql({ workflow, isOpen, after, limit }: AttentionQuery) {
  invariant(workflow !== null || isOpen === true, "of every workflow only the open ones are kept");
  const values: SqlValue[] = [];
  const given = (value: SqlValue) => `$${values.push(value)}`;
  const conditions: string[] = [];
  if (workflow !== null) conditions.push(`workflow = ${given(workflow)}`);
  if (isOpen !== null) conditions.push(`closed_at IS ${isOpen ? "" : "NOT "}NULL`);
  if (after !== null) {
    const place = [after.openedAt, after.workflow, after.attentionId].map(given).join();
    conditions.push(`(opened_at, workflow, attention_id) < (${place})`);
  }
  const sql = `SELECT workflow, ${columnList("attentions")} FROM holdfast.attentions
    ${conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`}
    ORDER BY opened_at DESC, workflow DESC, attention_id DESC LIMIT ${given(limit)}`;
  return { sql, values };
}
