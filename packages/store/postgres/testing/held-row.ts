import pg from "pg";
import { expect } from "vitest";
import { ask, soon } from "./store-in-test.ts";

/** Somebody who has a workflow's row locked, so that whoever wants to write it has to wait. */
export class HeldRow {
  readonly #client: pg.Client;
  readonly #url: string;

  private constructor(client: pg.Client, url: string) {
    [this.#client, this.#url] = [client, url];
  }

  static async hold(url: string, workflow: string): Promise<HeldRow> {
    const client = new pg.Client({ connectionString: url });
    client.on("error", () => {}); // its database may be dropped under it
    await client.connect();
    await client.query("BEGIN");
    const sql = "SELECT 1 FROM holdfast.workflows WHERE id = $1 FOR UPDATE";
    const { rowCount } = await client.query(sql, [workflow]);
    expect(rowCount).toBe(1);
    return new HeldRow(client, url);
  }

  /** Until so many statements stand still before a lock. */
  async isWaitedFor(count = 1): Promise<void> {
    const sql = `SELECT count(*) FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    await soon(async () => Number((await ask(this.#url, sql))[0]?.[0])).toBe(count);
  }

  async letGo(): Promise<void> {
    await this.#client.end();
  }
}
