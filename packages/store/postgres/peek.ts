import { invariant, type Peek } from "@holdfast/core";
import type { Database } from "./connection.ts";
import { decodeFound, type FoundRow } from "./found-row.ts";
import { rowsOfWorkflow } from "./load.ts";

export async function peekEvents(
  database: Database,
  at: { readonly workflow: string; readonly topic: string; readonly limit: number },
): Promise<Peek> {
  const { workflow, topic, limit } = at;
  const sql = "SELECT * FROM holdfast.peek_1($1, $2, $3)";
  const values = [workflow, topic, limit];
  const [first, ...found] = await rowsOfWorkflow(database, workflow, { name: "peek", sql, values });
  invariant(first !== undefined, "peek_1 begins with the lowest position");
  return {
    events: found.map(([, row]) => decodeFound("events", row as FoundRow)),
    settledBelow: first[0] as number | null,
  };
}
