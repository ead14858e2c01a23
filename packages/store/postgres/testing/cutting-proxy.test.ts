import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type { CutPlace } from "./cut.ts";
import { CuttingProxy } from "./cutting-proxy.ts";
import { sharedServerUrl } from "./shared-server-url.ts";
import { createTestDatabase, type TestDatabase, withConnection } from "./test-database.ts";

let database: TestDatabase;
let proxy: CuttingProxy;

beforeAll(async () => {
  database = await createTestDatabase(await sharedServerUrl());
  await askDirectly("CREATE TABLE kept (id int)");
  proxy = await CuttingProxy.start(database.url);
});

beforeEach(async () => {
  proxy.forgetPlans();
  await askDirectly("TRUNCATE kept");
});

afterAll(async () => {
  await proxy?.stop();
  await database?.drop();
});

async function askDirectly(sql: string): Promise<unknown[]> {
  return withConnection(database.url, async (client) => (await client.query(sql)).rows);
}

/** What the server has, seen past the proxy. */
async function kept(): Promise<unknown[]> {
  const rows = await askDirectly("SELECT id FROM kept ORDER BY id");
  return rows.map((row) => Object(row).id);
}

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: proxy.url() });
  client.on("error", () => {});
  await client.connect();
  onTestFinished(() => client.end().catch(() => {}));
  return client;
}

/** The simple protocol sends one Query, the extended one five messages and a Sync. */
const protocols = {
  simple: (client: pg.Client, id: number) => client.query(`INSERT INTO kept VALUES (${id})`),
  extended: (client: pg.Client, id: number) => client.query("INSERT INTO kept VALUES ($1)", [id]),
} as const;

const lost = /Connection terminated|ECONNRESET|EPIPE/;

describe.each(["simple", "extended"] as const)("in the %s protocol", (protocol) => {
  const insert = protocols[protocol];

  test("without a plan everything goes through and is reported", async () => {
    const seen = proxy.requests.length;
    const client = await connect();
    await insert(client, 1);
    expect(await kept()).toEqual([1]);
    const [report] = proxy.requests.slice(seen);
    expect(report).toMatchObject({ number: seen + 1, isAnswered: true, cut: null });
    expect(report?.sql).toMatch(/^INSERT INTO kept/);
    expect(report?.length).toBeGreaterThan(30);
    expect(report?.responseLength).toBeGreaterThan(20);
  });

  test.each<{ place: CutPlace; acts: boolean }>([
    { place: { at: "before" }, acts: false },
    { place: { at: "mid-request", bytes: 0 }, acts: false },
    { place: { at: "mid-request", bytes: 10 }, acts: false },
    { place: { at: "mid-request", bytes: 1_000_000 }, acts: false },
    { place: { at: "after-request" }, acts: true },
    { place: { at: "after-request-both" }, acts: true },
    { place: { at: "mid-response", bytes: 0 }, acts: true },
    { place: { at: "mid-response", bytes: 7 }, acts: true },
  ])("cut at $place: the client hears nothing, the server has acted: $acts", async (row) => {
    const client = await connect();
    await insert(client, 1);
    const { hit, settled } = proxy.plan({ place: row.place });
    await expect(insert(client, 2)).rejects.toThrow(lost);
    const report = await hit;
    await settled;
    expect(report.cut).toBe(row.place.at);
    expect(await kept()).toEqual(row.acts ? [1, 2] : [1]);
    expect(proxy.openCount).toBe(0);
  });

  test("a cut at any byte of a request keeps the server from acting", async () => {
    const { length } = await proxyOne(insert);
    for (let bytes = 0; bytes < length; bytes++) {
      const client = await connect();
      const { settled } = proxy.plan({ place: { at: "mid-request", bytes } });
      await expect(insert(client, 2)).rejects.toThrow(lost);
      await settled;
    }
    expect(await kept()).toEqual([1]);
  });

  test("a response that is cut behind its last byte is heard", async () => {
    const { responseLength } = await proxyOne(insert);
    const client = await connect();
    const ended = new Promise((resolve) => client.once("end", resolve));
    const { settled } = proxy.plan({ place: { at: "mid-response", bytes: responseLength } });
    await insert(client, 2);
    await Promise.all([settled, ended]);
    expect(await kept()).toEqual([1, 2]);
  });

  test("a held request reaches the server long after its client is gone", async () => {
    const client = await connect();
    const planned = proxy.plan({ place: { at: "hold-then-deliver" } });
    await expect(insert(client, 1)).rejects.toThrow(lost);
    await planned.hit;
    expect(await kept()).toEqual([]);
    const report = await planned.deliver();
    expect(report.isAnswered).toBe(true);
    expect(await kept()).toEqual([1]);
  });

  test("a stalled request is neither done nor lost, and goes on when released", async () => {
    const client = await connect();
    const planned = proxy.plan({ place: { at: "stall" } });
    const answer = insert(client, 1);
    await planned.hit;
    expect(await kept()).toEqual([]);
    await planned.release();
    expect((await answer).rowCount).toBe(1);
    await insert(client, 2);
    expect(await kept()).toEqual([1, 2]);
  });

  test("a stalled request dies with a client that gives up", async () => {
    const client = await connect();
    const planned = proxy.plan({ place: { at: "stall" } });
    const answer = expect(insert(client, 1)).rejects.toThrow(lost);
    await planned.hit;
    client.connection.stream.destroy();
    await answer;
    const report = await planned.settled;
    await planned.release();
    expect(report.isAnswered).toBe(false);
    expect(await kept()).toEqual([]);
  });

  test("a stalled response comes late, after the server has acted", async () => {
    const client = await connect();
    const planned = proxy.plan({ place: { at: "stall-response" } });
    let isHeard = false;
    const answer = insert(client, 1).then(() => {
      isHeard = true;
    });
    await planned.hit;
    expect(await kept()).toEqual([1]);
    expect(isHeard).toBe(false);
    await planned.release();
    await answer;
  });
});

async function proxyOne(insert: (typeof protocols)["simple"]) {
  const client = await connect();
  await insert(client, 1);
  const report = proxy.requests.at(-1);
  if (report === undefined) throw new Error("the proxy saw nothing");
  return report;
}

test("a cut chooses its request by number and by SQL, over all connections", async () => {
  const [one, other] = [await connect(), await connect()];
  const planned = proxy.plan({ place: { at: "before" }, request: 2, matching: /COMMIT/ });
  for (const client of [one, other]) await client.query("BEGIN");
  await one.query("INSERT INTO kept VALUES (1)");
  await other.query("INSERT INTO kept VALUES (2)");
  await one.query("COMMIT");
  await expect(other.query("COMMIT")).rejects.toThrow(lost);
  await planned.settled;
  expect(await kept()).toEqual([1]);
});

test("SQL of a statement that was prepared earlier is known", async () => {
  const client = await connect();
  const insert = { name: "insert", text: "INSERT INTO kept VALUES ($1)" };
  await client.query({ ...insert, values: [1] });
  const planned = proxy.plan({ place: { at: "after-request" }, matching: /INSERT INTO kept/ });
  await expect(client.query({ ...insert, values: [2] })).rejects.toThrow(lost);
  const { sql } = await planned.settled;
  expect(sql).toBe(insert.text);
  expect(await kept()).toEqual([1, 2]);
});

test("a transaction whose COMMIT never comes is rolled back, and its locks are free", async () => {
  const client = await connect();
  await client.query("BEGIN");
  await client.query("LOCK TABLE kept; INSERT INTO kept VALUES (1)");
  const planned = proxy.plan({ place: { at: "before" }, matching: /^COMMIT$/ });
  await expect(client.query("COMMIT")).rejects.toThrow(lost);
  await planned.settled;
  await askDirectly("LOCK TABLE kept NOWAIT; INSERT INTO kept VALUES (9)");
  expect(await kept()).toEqual([9]);
});

test("a reset reaches the client as one", async () => {
  const client = await connect();
  proxy.plan({ place: { at: "before" }, how: "reset" });
  await expect(client.query("SELECT 1")).rejects.toThrow(/ECONNRESET/);
});

test("a proxy that refuses new connections keeps the old ones", async () => {
  const client = await connect();
  await proxy.refuseNew(true);
  await expect(withConnection(proxy.url(), async () => {})).rejects.toThrow(/ECONNREFUSED/);
  await client.query("INSERT INTO kept VALUES (1)");
  await proxy.refuseNew(false);
  await withConnection(proxy.url(), async () => {});
  expect(await kept()).toEqual([1]);
});

test("after all are cut the server has none of them", async () => {
  const clients = [await connect(), await connect()];
  for (const client of clients) await client.query("BEGIN; INSERT INTO kept VALUES (1)");
  await proxy.cutAll();
  expect(proxy.openCount).toBe(0);
  const others = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database()";
  expect(await askDirectly(`${others} AND pid <> pg_backend_pid()`)).toEqual([]);
  expect(await kept()).toEqual([]);
});

test("a forgotten plan cuts nothing", async () => {
  const client = await connect();
  proxy.plan({ place: { at: "before" } });
  proxy.forgetPlans();
  await client.query("INSERT INTO kept VALUES (1)");
  expect(await kept()).toEqual([1]);
});

test("COPY and rows by the page do not wait for the end of their request", async () => {
  const client = await connect();
  // The library has nothing to copy from, says so to the server, and goes on.
  await expect(client.query("COPY kept FROM STDIN")).rejects.toThrow(/No source stream defined/);
  const paged = { text: "SELECT generate_series(1, $1) AS id", values: [3], rows: 1 };
  expect((await client.query(paged)).rows).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }]);
});
