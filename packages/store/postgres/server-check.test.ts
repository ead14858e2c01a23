import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { Owner } from "../testing/change-builder.ts";
import { command } from "../testing/inbox.testsuite.ts";
import { sharedServerUrl, TestServer } from "./testing/index.ts";
import {
  ask,
  databaseInTest,
  emptyDatabaseInTest,
  errorOf,
  openInTest,
  urlWith,
} from "./testing/store-in-test.ts";

async function expectUntouched(url: string): Promise<void> {
  expect(await ask(url, "SELECT to_regnamespace('holdfast')::text")).toEqual([[null]]);
}

describe("a server that does not keep what it acknowledges", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start();
  });
  afterAll(() => server?.stop());

  test.each(["fsync", "full_page_writes"])(
    "is refused by the name of the parameter when %s is off",
    async (name) => {
      await server.restart({ parameters: { [name]: "off" } });
      onTestFinished(() => server.restart({ parameters: { [name]: "on" } }));
      const url = server.url();
      const error = await errorOf(() => openInTest({ url }), "STORE_NOT_DURABLE");
      expect(error.message).toContain(`${name} is off`);
      expect(error.remedy).toContain(name);
      await expectUntouched(url);
    },
  );

  test("is taken when all is on, so that the refusals mean something", async () => {
    await openInTest({ url: server.url() });
  });
});

describe("a database that cannot be used as it is set up", () => {
  test.each(["SQL_ASCII", "LATIN1"])("is refused when its encoding is %s", async (encoding) => {
    const server = await sharedServerUrl();
    const name = `holdfast_test_${encoding.toLowerCase()}_${process.pid}`;
    const made = `CREATE DATABASE ${name} ENCODING '${encoding}' LOCALE 'C' TEMPLATE template0`;
    await ask(server, made);
    onTestFinished(async () => void (await ask(server, `DROP DATABASE ${name} WITH (FORCE)`)));
    const url = urlWith(server, { database: name });
    const error = await errorOf(() => openInTest({ url }), "STORE_SERVER_UNFIT");
    expect(error.message).toContain(encoding);
    await expectUntouched(url);
  });

  test.each([
    ["default_transaction_isolation", "serializable", "STORE_SERVER_UNFIT", /serializable/],
    ["default_transaction_isolation", "repeatable read", "STORE_SERVER_UNFIT", /repeatable read/],
    ["default_transaction_read_only", "on", "STORE_READ_ONLY", /read-only/],
    ["session_replication_role", "replica", "STORE_SERVER_UNFIT", /no trigger would fire/],
  ] as const)("is refused when %s is %s", async (parameter, value, code, words) => {
    const { url, name } = await emptyDatabaseInTest(await sharedServerUrl());
    await ask(url, `ALTER DATABASE ${name} SET ${parameter} = '${value}'`);
    const error = await errorOf(() => openInTest({ url }), code);
    expect(error.message).toMatch(words);
    await expectUntouched(url);
  });

  test("is refused on a server that is too old", async () => {
    const { url, name } = await emptyDatabaseInTest(await sharedServerUrl());
    // Nobody has such a server at hand, so this one lies about its age.
    await ask(
      url,
      `CREATE FUNCTION public.current_setting(name text) RETURNS text LANGUAGE sql AS $$
        SELECT CASE name WHEN 'server_version_num' THEN '140012'
          ELSE pg_catalog.current_setting(name) END $$;
      ALTER DATABASE ${name} SET search_path = public, pg_catalog`,
    );
    const error = await errorOf(() => openInTest({ url }), "STORE_SERVER_UNFIT");
    expect(error.message).toContain("140012");
    await expectUntouched(url);
  });
});

test.each([
  ["search_path", "holdfast, public"],
  ["bytea_output", "escape"],
  ["datestyle", "'German'"],
  ["standard_conforming_strings", "off"],
  ["jit_above_cost", "0"],
  ["timezone", "'Pacific/Auckland'"],
])("a database in which %s is %s is as good as any", async (parameter, value) => {
  const { url, name } = await databaseInTest();
  await ask(url, `ALTER DATABASE ${name} SET ${parameter} = ${value}`);
  const store = await openInTest({ url });
  const owner = await Owner.create(store);
  await owner.persist();
  await store.appendCommand(command("c-1"));
  const [entry] = await store.readInbox("orders", 1);
  expect(entry?.body).toEqual(command("c-1").body);
  const [record] = await store.readJournal("orders", 0, 1);
  expect(record?.hash).toBe(owner.head.hash);
});

describe("where synchronous_commit is off", () => {
  let server: TestServer;
  /** Commits stay unflushed for seconds, and nobody but us writes to the log. */
  const lazy = {
    synchronous_commit: "off",
    wal_writer_delay: "10s",
    wal_level: "minimal",
    max_wal_senders: 0,
    autovacuum: "off",
  };
  /** The log's end lies this much further than its last byte where a page of it begins. */
  const pageHeadBytes = 64;

  beforeAll(async () => {
    server = await TestServer.start({ parameters: lazy });
  });
  afterAll(() => server?.stop());

  async function unflushedBytes(url: string): Promise<number> {
    const [row] = await ask(url, "SELECT pg_current_wal_insert_lsn() - pg_current_wal_flush_lsn()");
    return Number(row?.[0]);
  }

  test("everything that is acknowledged is flushed before it is", async () => {
    const url = server.url();
    const store = await openInTest({ url });
    const owner = await Owner.create(store);
    const host = "host-1";
    const calls: Readonly<Record<string, () => Promise<unknown>>> = {
      createWorkflow: () => store.createWorkflow("another"),
      commit: () => owner.persist(),
      "commit with a refused change": () =>
        store.commit([owner.change(), owner.change({ epoch: 9 })]),
      appendCommand: () => store.appendCommand(command("c-1")),
      openHost: () => store.openHost({ incarnation: host, leaseMs: 60_000 }),
      claim: () => store.claim(host, 10),
      heartbeat: () => store.heartbeat(host),
      release: () => store.release(host, { workflow: "orders", epoch: 1 }),
      closeHost: () => store.closeHost(host),
    };
    const unflushed: string[] = [];
    for (const [name, call] of Object.entries(calls)) {
      await call();
      if ((await unflushedBytes(url)) > pageHeadBytes) unflushed.push(name);
    }
    expect(unflushed).toEqual([]);
  });

  test("and this would be seen if it were not so", async () => {
    const url = server.url();
    await ask(url, "CREATE TABLE public.lazy (id int)");
    // The server flushes by itself now and then, but not after each of these.
    const seen: number[] = [];
    for (let id = 0; id < 10; id++) {
      await ask(url, `INSERT INTO public.lazy VALUES (${id})`);
      seen.push(await unflushedBytes(url));
    }
    expect(Math.max(...seen)).toBeGreaterThan(pageHeadBytes);
  });

  test("what admits a change turns it on for that transaction alone", async () => {
    const store = await openInTest({ url: server.url() });
    const url = server.url();
    const parameter = "current_setting('synchronous_commit')";
    const admit = `holdfast.admit_1('${store.storeIncarnation}')`;
    const inside = `SELECT ${parameter}, ${admit}::text, ${parameter}`;
    expect(await ask(url, inside)).toEqual([["off", "", "on"]]);
    expect(await ask(url, `SELECT ${parameter}`)).toEqual([["off"]]);
  });
});
