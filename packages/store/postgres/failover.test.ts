import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { Owner } from "../testing/change-builder.ts";
import { command } from "../testing/inbox.testsuite.ts";
import { applyPostgresSchema } from "./index.ts";
import type { PostgresStore } from "./postgres-store.ts";
import { createTestDatabase, type TestDatabase, TestServer } from "./testing/index.ts";
import { MovableAddress } from "./testing/movable-address.ts";
import { ask, errorOf, openInTest, reconnected } from "./testing/store-in-test.ts";

let primary: TestServer;
let standby: TestServer;
let database: TestDatabase;
let address: MovableAddress;

/** The same database on another server. */
function on(server: TestServer): string {
  return server.url(database.name);
}

/** Everything that writes, on a workflow and a host that are there. */
function writesOf(store: PostgresStore, owner: Owner) {
  return {
    commit: () => store.commit([owner.change()]),
    createWorkflow: () => store.createWorkflow("new"),
    appendCommand: () => store.appendCommand(command("new")),
    openHost: () => store.openHost({ incarnation: "host-2", leaseMs: 60_000 }),
    heartbeat: () => store.heartbeat("host-1"),
    claim: () => store.claim("host-1", 10),
    release: () => store.release("host-1", owner),
    closeHost: () => store.closeHost("host-1"),
  };
}

async function expectAllRefused(
  store: PostgresStore,
  owner: Owner,
  code: "STORE_READ_ONLY" | "STORE_RESTORED",
): Promise<void> {
  for (const [name, call] of Object.entries(writesOf(store, owner))) {
    const error = await errorOf(call, code);
    expect(error.retry, name).toBe("safe");
  }
}

/** With one change, one host and one command in it. */
async function openStore(): Promise<{ store: PostgresStore; owner: Owner }> {
  const store = await openInTest({ url: address.url, onTrouble: () => {} });
  const owner = await Owner.create(store);
  await owner.persist();
  await store.openHost({ incarnation: "host-1", leaseMs: 60_000 });
  await store.appendCommand(command("c-1"));
  await store.claim("host-1", 1);
  owner.epoch += 1;
  return { store, owner };
}

async function makeDatabase(): Promise<void> {
  database = await createTestDatabase(primary.url());
  await applyPostgresSchema({ url: database.url });
  address = await MovableAddress.start(database.url);
  onTestFinished(() => address.stop());
}

describe("a server that only follows another", () => {
  beforeAll(async () => {
    primary = await TestServer.start();
    standby = await primary.standby();
  });
  beforeEach(makeDatabase);
  afterAll(async () => {
    await standby?.stop();
    await primary?.stop();
  });

  test("is refused at the start", async () => {
    await openInTest({ url: address.url });
    await standby.catchUp();
    const error = await errorOf(() => openInTest({ url: on(standby) }), "STORE_READ_ONLY");
    expect(error.message).toContain("standby");
  });

  test("in place of the primary takes nothing, and with the primary back all goes on", async () => {
    const { store, owner } = await openStore();
    await standby.catchUp();
    address.moveTo(on(standby));
    await reconnected(store);
    await expectAllRefused(store, owner, "STORE_READ_ONLY");
    // It can be read from, and what is read is true.
    expect((await store.load("orders", [])).head.seq).toBe(1);
    address.moveTo(on(primary));
    await reconnected(store);
    await owner.persist();
    expect((await store.listWorkflows(null, 10)).map(({ workflow }) => workflow)).toEqual([
      "orders",
    ]);
    expect(await store.readInbox("orders", 10)).toHaveLength(1);
    expect(await store.heartbeat("host-1")).toBe(true);
  });
});

describe("a standby that took over", () => {
  beforeEach(async () => {
    primary = await TestServer.start();
    onTestFinished(() => primary.stop());
    await makeDatabase();
    standby = await primary.standby();
    onTestFinished(() => standby.stop());
  });

  async function failOver(): Promise<void> {
    await standby.catchUp();
    await primary.kill();
    await standby.promote();
    address.moveTo(on(standby));
  }

  test("is refused to a store that was open all the time, and nothing is written", async () => {
    const { store, owner } = await openStore();
    await failOver();
    await reconnected(store);
    await expectAllRefused(store, owner, "STORE_RESTORED");
    expect(await ask(on(standby), "SELECT head, owner FROM holdfast.workflows")).toEqual([
      ["1", "host-1"],
    ]);
  });

  test("is refused at the start until a person accepts it, then it is a new store", async () => {
    const { store, owner } = await openStore();
    const { cursor } = await store.readChanges(null);
    await failOver();
    const url = address.url;
    const error = await errorOf(() => openInTest({ url }), "STORE_RESTORED");
    expect(error.message).toContain("timeline 00000002");
    expect(error.message).toContain("00000001");
    const newIncarnation = () => "store-2";
    const accepted = await openInTest({ url, newIncarnation, acceptRestored: true });
    expect(accepted.storeIncarnation).toBe("store-2");
    await reconnected(store);
    await expectAllRefused(store, owner, "STORE_RESTORED");
    await errorOf(() => accepted.readChanges(cursor), "CURSOR_UNKNOWN");
    const heir = await Owner.of(accepted, "orders");
    expect(heir.head).toEqual(owner.head);
    await heir.persist();
    // Said once, it need not be said again.
    const again = await openInTest({ url, newIncarnation: () => "store-3" });
    expect(again.storeIncarnation).toBe("store-2");
  });

  test("becomes one new store when several hosts accept it at the same moment", async () => {
    await openStore();
    await failOver();
    const opened = await Promise.all(
      ["a", "b", "c", "d"].map((name) =>
        openInTest({ url: address.url, newIncarnation: () => name, acceptRestored: true }),
      ),
    );
    const names = new Set(opened.map(({ storeIncarnation }) => storeIncarnation));
    expect(names.size).toBe(1);
    const [store] = opened;
    await (await Owner.of(store as PostgresStore, "orders")).persist();
  });
});
