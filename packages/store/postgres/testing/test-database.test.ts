import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { sharedServerUrl } from "./shared-server-url.ts";
import {
  createTestDatabase,
  type TestDatabase,
  templateDatabase,
  withConnection,
} from "./test-database.ts";

const serverUrl = await sharedServerUrl();

async function ask(url: string, sql: string): Promise<unknown[]> {
  return withConnection(url, async (client) => (await client.query(sql)).rows);
}

async function newDatabase(template: string | null = null): Promise<TestDatabase> {
  const database = await createTestDatabase(serverUrl, { template });
  onTestFinished(database.drop);
  return database;
}

function listNames(name: string): Promise<unknown[]> {
  return ask(serverUrl, `SELECT datname FROM pg_database WHERE datname = '${name}'`);
}

test("databases made at once are different ones", async () => {
  const made = await Promise.all(Array.from({ length: 4 }, () => newDatabase()));
  expect(new Set(made.map(({ name }) => name)).size).toBe(made.length);
  for (const { url, name } of made) {
    expect(await ask(url, "SELECT current_database() AS name")).toEqual([{ name }]);
    expect(name).toContain("holdfast_test_run");
  }
});

test("a dropped database is gone, whoever was connected to it", async () => {
  const { url, name, drop } = await newDatabase();
  const client = new pg.Client({ connectionString: url });
  const thrownOut = new Promise((resolve) => client.on("error", resolve));
  await client.connect();
  expect(await listNames(name)).toEqual([{ datname: name }]);
  await drop();
  await thrownOut;
  expect(await listNames(name)).toEqual([]);
  await drop();
});

test("what was prepared once is in every copy, and what one copy does is in no other", async () => {
  let preparedCount = 0;
  const prepare = async (url: string): Promise<void> => {
    preparedCount += 1;
    await ask(url, "CREATE TABLE prepared (id int); INSERT INTO prepared VALUES (1)");
  };
  const [template, same] = await Promise.all([
    templateDatabase(serverUrl, prepare),
    templateDatabase(serverUrl, prepare),
  ]);
  expect(same).toBe(template);
  const [one, other] = await Promise.all([newDatabase(template.name), newDatabase(template.name)]);
  await ask(one.url, "INSERT INTO prepared VALUES (2)");
  expect(await ask(one.url, "SELECT id FROM prepared")).toEqual([{ id: 1 }, { id: 2 }]);
  expect(await ask(other.url, "SELECT id FROM prepared")).toEqual([{ id: 1 }]);
  expect(preparedCount).toBe(1);
  await expect(ask(template.url, "SELECT 1")).rejects.toThrow(/not currently accepting/);
});
