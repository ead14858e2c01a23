import pg from "pg";

/** Every row of every table of ours as text; bytes are hexadecimal digits. */
export async function allText(url: string): Promise<string> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    const tables = await client.query<{ name: string }>(
      `SELECT format('%I.%I', schemaname, tablename) AS name
       FROM pg_tables WHERE schemaname = 'holdfast'`,
    );
    const rows: string[] = [];
    for (const { name } of tables.rows) {
      const found = await client.query<{ t: string }>(`SELECT t::text FROM ${name} t`);
      rows.push(...found.rows.map(({ t }) => t));
    }
    return rows.join("\n");
  } finally {
    await client.end();
  }
}
