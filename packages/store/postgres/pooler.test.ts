import { insertRow } from "@holdfast/core";
import { expect, onTestFinished, test } from "vitest";
import { Owner } from "../testing/change-builder.ts";
import { command } from "../testing/inbox.testsuite.ts";
import { runCase, storeCases } from "../testing/index.ts";
import { eventRow, topicRow } from "../testing/row-builder.ts";
import { rowsOf } from "../testing/table-reader.ts";
import { openPostgresStore } from "./index.ts";
import { createSchemaDatabase, SwappingPooler, sharedServerUrl } from "./testing/index.ts";
import { databaseInTest, emptyDatabaseInTest, openInTest } from "./testing/store-in-test.ts";

async function throughPooler(url: string): Promise<SwappingPooler> {
  const pooler = await SwappingPooler.start(url, { connectionCount: 3 });
  onTestFinished(() => pooler.stop());
  return pooler;
}

/** Where a promise spans several calls, a pooler could break it. */
const parts = ["commit", "load", "scan", "inbox", "lease", "changes"];

test.each(parts)(
  "keeps every promise of %s through a pooler that swaps connections",
  async (part) => {
    const cases = storeCases[part] ?? [];
    expect(cases.length).toBeGreaterThan(0);
    for (const storeCase of cases) {
      await runCase(async (options) => {
        const database = await createSchemaDatabase();
        const pooler = await SwappingPooler.start(database.url, { connectionCount: 3 });
        const open = () => openPostgresStore({ url: pooler.url(), ...options });
        const remove = async () => {
          await pooler.stop();
          await database.drop();
        };
        return { store: await open(), reopen: open, remove };
      }, storeCase);
    }
  },
);

test("makes its schema through a pooler", async () => {
  const { url } = await emptyDatabaseInTest(await sharedServerUrl());
  const pooler = await throughPooler(url);
  const store = await openInTest({ url: pooler.url() });
  await (await Owner.create(store)).persist();
});

test("leaves nothing on a connection that another transaction could meet", async () => {
  const { url } = await databaseInTest();
  const pooler = await throughPooler(url);
  const store = await openInTest({ url: pooler.url() });
  const owner = await Owner.create(store);
  const events = Array.from({ length: 1_500 }, (_, index) =>
    insertRow("events", eventRow(`m-${index}`, { position: index + 1 })),
  );
  await owner.persist(insertRow("topics", topicRow("orders")), ...events);
  // More rows than one fetch gives: the cursor lives over several statements.
  const [rows] = await Promise.all([
    rowsOf(store, "orders", "events"),
    ...Array.from({ length: 20 }, () => store.census()),
    owner.persist(),
  ]);
  expect(rows).toHaveLength(1_500);
  const servers = new Set(pooler.assignments.map(({ server }) => server));
  expect(servers.size).toBeGreaterThan(1);
});

test("a command is found by looking where nobody can be woken", async () => {
  const { url } = await databaseInTest();
  const pooler = await throughPooler(url);
  const troubles: Error[] = [];
  const store = await openInTest({
    url: pooler.url(),
    onTrouble: (error) => troubles.push(error),
  });
  await Owner.create(store);
  expect(await store.nextDueAt()).toBeNull();
  const end = store.watch(() => {});
  await store.appendCommand(command("c-1"));
  expect(await store.nextDueAt()).not.toBeNull();
  expect(await store.readInbox("orders", 10)).toHaveLength(1);
  await store.openHost({ incarnation: "host-1", leaseMs: 60_000 });
  expect((await store.claim("host-1", 10)).claims).toHaveLength(1);
  end();
  expect(troubles).toEqual([]);
});
