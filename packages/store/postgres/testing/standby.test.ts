import { afterAll, beforeAll, expect, test } from "vitest";
import { withConnection } from "./test-database.ts";
import { TestServer } from "./test-server.ts";

let primary: TestServer;
let standby: TestServer;

beforeAll(async () => {
  primary = await TestServer.start();
  await ask(primary, "CREATE TABLE kept (id int)");
  standby = await primary.standby();
});

afterAll(async () => {
  await standby?.stop();
  await primary?.stop();
});

async function ask(server: TestServer, sql: string): Promise<unknown[]> {
  return withConnection(server.url(), async (client) => (await client.query(sql)).rows);
}

function timelineOf(server: TestServer): Promise<unknown[]> {
  return ask(server, "SELECT left(pg_walfile_name(pg_current_wal_lsn()), 8) AS timeline");
}

test("a standby has what the primary committed before and after it was made", async () => {
  await ask(primary, "INSERT INTO kept VALUES (1)");
  await standby.catchUp();
  expect(await ask(standby, "SELECT id FROM kept")).toEqual([{ id: 1 }]);
});

test("a standby refuses to write", async () => {
  expect(await ask(standby, "SELECT pg_is_in_recovery() AS it")).toEqual([{ it: true }]);
  await expect(ask(standby, "INSERT INTO kept VALUES (2)")).rejects.toMatchObject({
    code: "25006",
  });
});

test("a standby that is restarted goes on following", async () => {
  await standby.crash();
  await ask(primary, "INSERT INTO kept VALUES (3)");
  await standby.restart();
  await standby.catchUp();
  expect(await ask(standby, "SELECT id FROM kept ORDER BY id")).toEqual([{ id: 1 }, { id: 3 }]);
});

test("a standby promoted after its primary was killed has a timeline of its own", async () => {
  expect(await timelineOf(primary)).toEqual([{ timeline: "00000001" }]);
  await primary.kill();
  await standby.promote();
  await ask(standby, "INSERT INTO kept VALUES (4)");
  expect(await timelineOf(standby)).toEqual([{ timeline: "00000002" }]);
});

test("the old primary comes back without knowing of the new one", async () => {
  await primary.restart();
  expect(await timelineOf(primary)).toEqual([{ timeline: "00000001" }]);
  expect(await ask(primary, "SELECT id FROM kept ORDER BY id")).toEqual([{ id: 1 }, { id: 3 }]);
});
