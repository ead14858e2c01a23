import pg from "pg";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { sharedServerUrl } from "./shared-server-url.ts";
import { SwappingPooler } from "./swapping-pooler.ts";
import { createTestDatabase, type TestDatabase, withConnection } from "./test-database.ts";

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase(await sharedServerUrl());
  await withConnection(database.url, (client) => client.query("CREATE TABLE kept (id int)"));
});

afterAll(() => database?.drop());

async function startPooler(connectionCount = 2): Promise<SwappingPooler> {
  const pooler = await SwappingPooler.start(database.url, { connectionCount });
  onTestFinished(() => pooler.stop());
  return pooler;
}

async function connect(url: string, options: pg.ClientConfig = {}): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, ...options });
  client.on("error", () => {});
  onTestFinished(() => client.end().catch(() => {}));
  await client.connect();
  return client;
}

async function ask(client: pg.Client, sql: string): Promise<unknown> {
  const { rows } = await client.query({ text: sql, rowMode: "array" });
  return rows[0]?.[0];
}

test("a client gets another connection for every transaction, and one within it", async () => {
  const pooler = await startPooler();
  const client = await connect(pooler.url());
  const first = await ask(client, "SELECT pg_backend_pid()");
  const second = await ask(client, "SELECT pg_backend_pid()");
  expect(second).not.toBe(first);
  await client.query("BEGIN");
  const within = await ask(client, "SELECT pg_backend_pid()");
  expect(await ask(client, "SELECT pg_backend_pid()")).toBe(within);
  await client.query("COMMIT");
  expect(await ask(client, "SELECT pg_backend_pid()")).not.toBe(within);
  const servers = pooler.assignments.map(({ server }) => server);
  expect(servers).toEqual([1, 2, 1, 2]);
});

test("nothing that belongs to a connection survives a transaction", async () => {
  const pooler = await startPooler();
  const client = await connect(pooler.url());
  await client.query("SET statement_timeout = '12s'");
  expect(await ask(client, "SHOW statement_timeout")).toBe("0");
  await client.query("CREATE TEMP TABLE mine (id int)");
  expect(await ask(client, "SELECT to_regclass('pg_temp.mine')")).toBe(null);
  await client.query("SELECT pg_advisory_lock(7)");
  expect(await ask(client, "SELECT pg_try_advisory_lock(7)")).toBe(false);
  // The lock is still with the connection it was taken on.
  expect(await ask(client, "SELECT pg_advisory_unlock(7)")).toBe(true);
});

test("a named statement is unknown in the next transaction", async () => {
  const pooler = await startPooler();
  const client = await connect(pooler.url());
  const named = { name: "one", text: "SELECT $1::int AS one", values: [1] };
  expect((await client.query(named)).rows).toEqual([{ one: 1 }]);
  await expect(client.query(named)).rejects.toThrow(/prepared statement "one" does not exist/);
  await expect(client.query(named.text, [1])).resolves.toMatchObject({ rowCount: 1 });
});

test("a notification for a client that listened is lost", async () => {
  const pooler = await startPooler();
  const client = await connect(pooler.url());
  const heard: string[] = [];
  client.on("notification", ({ channel }) => heard.push(channel));
  await client.query("LISTEN news");
  await withConnection(database.url, (other) => other.query("NOTIFY news"));
  await client.query("BEGIN");
  await client.query("SELECT 1");
  await client.query("COMMIT");
  expect(heard).toEqual([]);
});

test("more clients than connections wait for each other, and transactions stay whole", async () => {
  const pooler = await startPooler(3);
  const ids = Array.from({ length: 8 }, (_, index) => index + 1);
  const clients = await Promise.all(ids.map(() => connect(pooler.url())));
  await Promise.all(
    clients.map(async (client, index) => {
      await client.query("BEGIN");
      const pid = await ask(client, "SELECT pg_backend_pid()");
      await client.query("INSERT INTO kept VALUES ($1)", [ids[index]]);
      expect(await ask(client, "SELECT pg_backend_pid()")).toBe(pid);
      await client.query("COMMIT");
    }),
  );
  const client = await connect(pooler.url());
  expect(await ask(client, "SELECT array_agg(id ORDER BY id) FROM kept")).toEqual(ids);
});

test("a client that leaves in the midst of a transaction takes it with it", async () => {
  const pooler = await startPooler();
  const leaving = await connect(pooler.url());
  await leaving.query("BEGIN; LOCK TABLE kept; INSERT INTO kept VALUES (99)");
  await leaving.end();
  const client = await connect(pooler.url());
  for (let round = 0; round < 3; round++) {
    expect(await ask(client, "SELECT count(*)::int FROM kept WHERE id = 99")).toBe(0);
  }
});

test("a pooler that the server has thrown out connects again for the next client", async () => {
  const pooler = await startPooler();
  const client = await connect(pooler.url());
  await client.query("SELECT 1");
  const mine = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity";
  await withConnection(database.url, (other) =>
    other.query(`${mine} WHERE datname = current_database() AND pid <> pg_backend_pid()`),
  );
  const next = await connect(pooler.url());
  await expect(ask(next, "SELECT 1")).resolves.toBe(1);
});

test("parameters that only a connection of its own could keep are refused", async () => {
  const pooler = await startPooler();
  const connecting = connect(pooler.url(), { statement_timeout: 1_000 });
  await expect(connecting).rejects.toThrow(/unsupported startup parameter: statement_timeout/);
});

test("without the pooler a named statement is known (so the tests above can fail)", async () => {
  const client = await connect(database.url);
  const named = { name: "one", text: "SELECT $1::int AS one", values: [1] };
  await client.query(named);
  expect((await client.query(named)).rows).toEqual([{ one: 1 }]);
});
