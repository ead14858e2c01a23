import { dirname } from "node:path";
import { openPostgresStore, type PostgresStore } from "@holdfast/store/postgres";
import {
  createTestDatabase,
  type TestDatabase,
  TestServer,
  withConnection,
} from "@holdfast/store/testing/postgres";
import type { BenchContext } from "../../harness/bench.ts";

/** Its role must be allowed to create databases. Absent = the bench starts a server of its own. */
const urlVariable = "HOLDFAST_BENCH_POSTGRES_URL";

/** What a server is usually given, besides everything that makes it keep what it acknowledges. */
const parameters = {
  fsync: "on",
  full_page_writes: "on",
  synchronous_commit: "on",
  shared_buffers: "256MB",
};

/** The server under the bench. Its databases go with it. */
export class BenchServer {
  readonly #url: string;
  readonly #own: TestServer | null;
  readonly #databases: TestDatabase[] = [];

  private constructor(url: string, own: TestServer | null) {
    this.#url = url;
    this.#own = own;
  }

  static async open({ folder, progress }: BenchContext): Promise<BenchServer> {
    const given = process.env[urlVariable];
    // Beside the bench's folder, which only its own user may enter: a server is not run by root.
    const parentFolder = dirname(folder);
    const own = given === undefined ? await TestServer.start({ parentFolder, parameters }) : null;
    const server = new BenchServer(own?.url() ?? given ?? "", own);
    progress(await server.#describe());
    return server;
  }

  async openDatabase(): Promise<string> {
    const database = await createTestDatabase(this.#url);
    this.#databases.push(database);
    return database.url;
  }

  async close(): Promise<void> {
    if (this.#own !== null) return this.#own.stop();
    for (const { drop } of this.#databases) await drop();
  }

  #describe(): Promise<string> {
    return withConnection(this.#url, async (client) => {
      const names = ["server_version", ...Object.keys(parameters)];
      const sql = "SELECT current_setting(name) FROM unnest($1::text[]) AS t (name)";
      const { rows } = await client.query({ text: sql, values: [names], rowMode: "array" });
      const described = names.map((name, index) => `${name} ${rows[index]?.[0]}`).join(", ");
      return `${this.#own === null ? "the given server" : "a server of its own"}: ${described}`;
    });
  }
}

/** On the database's own clock, as the server opens it. */
export function openBenchPostgres(url: string): Promise<PostgresStore> {
  return openPostgresStore({ url, newIncarnation: () => "bench" });
}
