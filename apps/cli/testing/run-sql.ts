import { withConnection } from "@holdfast/store/testing/postgres";

/** As somebody does who has the database's password and a tool. */
export async function runSql(
  url: string,
  sql: string,
): Promise<readonly Record<string, unknown>[]> {
  return withConnection(url, async (client) => (await client.query(sql)).rows);
}
