import { type AddressInfo, createServer } from "node:net";
import type { CommitAnswer } from "@holdfast/core";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { Owner } from "../testing/change-builder.ts";
import { command } from "../testing/inbox.testsuite.ts";
import { rowsOf } from "../testing/table-reader.ts";
import type { PostgresStore } from "./postgres-store.ts";
import { CuttingProxy, TestServer } from "./testing/index.ts";
import {
  ask,
  databaseInTest,
  emptyDatabaseInTest,
  errorOf,
  openInTest,
  reconnected,
  soon,
} from "./testing/store-in-test.ts";

const reads = {
  load: (store: PostgresStore) => store.load("orders", [{ kind: "base" }]),
  peek: (store: PostgresStore) => store.peek("orders", "orders", 10),
  readInbox: (store: PostgresStore) => store.readInbox("orders", 10),
  findVerdict: (store: PostgresStore) => store.findVerdict("orders", "c-1"),
  readJournal: (store: PostgresStore) => store.readJournal("orders", 0, 10),
  listWorkflows: (store: PostgresStore) => store.listWorkflows(null, 10),
  readChanges: (store: PostgresStore) => store.readChanges(null),
  nextDueAt: (store: PostgresStore) => store.nextDueAt(),
  census: (store: PostgresStore) => store.census(),
  scan: (store: PostgresStore) => rowsOf(store, "orders", "topics"),
} as const;

describe("a server that goes away and comes back", () => {
  let server: TestServer;
  let store: PostgresStore;
  let owner: Owner;

  beforeAll(async () => {
    server = await TestServer.start();
  });
  afterAll(() => server?.stop());
  beforeEach(async () => {
    const { url } = await emptyDatabaseInTest(server.url());
    store = await openInTest({ url, onTrouble: () => {} });
    owner = await Owner.create(store);
    await owner.persist();
  });

  test("is served by the same store and loses nothing; while it is down that is said", async () => {
    await server.shutDown();
    for (const [name, read] of Object.entries(reads)) {
      const error = await errorOf(() => read(store), "STORE_UNREACHABLE");
      expect(error.retry, name).toBe("safe");
    }
    // Nothing could be sent, so nothing is unknown.
    const error = await errorOf(() => owner.commit(), "STORE_UNREACHABLE");
    expect(error.retry).toBe("safe");
    await server.restart();
    await reconnected(store);
    await owner.persist();
    expect((await store.load("orders", [])).head.seq).toBe(2);
  });

  test.each([
    ["shut down", () => server.shutDown()],
    ["crashed", () => server.crash()],
    ["killed", () => server.kill()],
  ] as const)("has kept all that it acknowledged when it was %s in mid-work", async (_, end) => {
    const owners = await Promise.all(
      Array.from({ length: 20 }, (_each, index) => Owner.create(store, `w-${index}`)),
    );
    const acknowledged = new Map<string, number>();
    let isGone = false;
    const work = owners.map(async (each) => {
      while (!isGone) {
        const answer = await each.commit().catch((cause: unknown) => cause);
        const kind = (answer as Partial<CommitAnswer>)?.kind;
        if (kind !== "committed") return kind ?? "thrown";
        acknowledged.set(each.workflow, each.head.seq);
      }
      return "stopped";
    });
    await soon(() => acknowledged.size).toBe(owners.length);
    await end();
    isGone = true;
    // Whoever was under way does not know, and says so, or had sent nothing.
    for (const kind of await Promise.all(work)) {
      expect(["unknown", "thrown", "stopped"]).toContain(kind);
    }
    await server.restart();
    await reconnected(store);
    for (const each of owners) {
      const { head } = await store.load(each.workflow, []);
      const last = acknowledged.get(each.workflow) ?? 0;
      expect([last, last + 1]).toContain(head.seq);
      await (await Owner.of(store, each.workflow)).persist();
    }
  });

  test("is left in order by a store that is closed while it is down", async () => {
    await server.shutDown();
    await store.close();
    await errorOf(() => store.census(), "STORE_CLOSED");
    await server.restart();
  });
});

describe("connections that are ended by the server", () => {
  test("are replaced, and harm nobody while they are idle", async () => {
    const { url, name } = await databaseInTest();
    const told: Error[] = [];
    const store = await openInTest({ url, onTrouble: (error) => told.push(error) });
    const owner = await Owner.create(store);
    await Promise.all(Array.from({ length: 5 }, () => store.census()));
    const [[count] = []] = await ask(
      url,
      `SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
       WHERE datname = '${name}' AND pid <> pg_backend_pid()`,
    );
    expect(Number(count)).toBeGreaterThan(1);
    await soon(() => told.length).toBe(Number(count));
    await owner.persist();
  });
});

describe("a server that does not answer", () => {
  let proxy: CuttingProxy;
  let store: PostgresStore;
  let owner: Owner;
  /** Longer than a busy machine needs for what is not held up. */
  const answerMsMax = 1_500;

  beforeEach(async () => {
    const { url } = await databaseInTest();
    proxy = await CuttingProxy.start(url);
    onTestFinished(() => proxy.stop());
    store = await openInTest({ url: proxy.url(), answerMsMax, onTrouble: () => {} });
    owner = await Owner.create(store);
    await owner.persist();
  });

  test("is unreachable for whoever reads, and then well again", async () => {
    for (const _ of Object.keys(reads)) proxy.plan({ place: { at: "stall" } });
    const refused = Object.values(reads).map((read) =>
      errorOf(() => read(store), "STORE_UNREACHABLE"),
    );
    await Promise.all(refused);
    await Promise.all(Object.values(reads).map((read) => read(store)));
  });

  test("in a commit that it never got: unknown, and not there", async () => {
    proxy.plan({ place: { at: "stall" } });
    expect(await owner.commit()).toMatchObject({ kind: "unknown" });
    expect((await store.load("orders", [])).head.seq).toBe(1);
    await owner.persist();
  });

  test("in a commit that it has done: unknown, and there", async () => {
    proxy.plan({ place: { at: "stall-response" } });
    expect(await owner.commit()).toMatchObject({ kind: "unknown" });
    expect((await store.load("orders", [])).head.seq).toBe(2);
    expect(await owner.commit()).toEqual({ kind: "conflict", head: 2 });
  });

  test("when a command is given: it can be given again, and is there once", async () => {
    for (const at of ["stall", "stall-response"] as const) {
      proxy.plan({ place: { at }, matching: /append_1/ });
      const given = command(`given-${at}`);
      const error = await errorOf(() => store.appendCommand(given), "STORE_UNREACHABLE");
      expect(error.retry).toBe("unknown");
      await store.appendCommand(given);
    }
    const ids = (await store.readInbox("orders", 10)).map(({ commandId }) => commandId);
    expect(ids).toEqual(["given-stall", "given-stall-response"]);
  });
});

/** Lets a client in and throws it out, all in one packet. */
async function startRude(): Promise<string> {
  const message = (kind: string, body: Buffer) => {
    const head = Buffer.from(`${kind}0000`);
    head.writeInt32BE(body.length + 4, 1);
    return Buffer.concat([head, body]);
  };
  const fatal = "SFATAL\0C57P01\0Mterminating connection due to administrator command\0\0";
  const packet = Buffer.concat([
    message("R", Buffer.alloc(4)),
    message("Z", Buffer.from("I")),
    message("E", Buffer.from(fatal)),
  ]);
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => socket.end(packet));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const { port } = server.address() as AddressInfo;
  return `postgres://holdfast@127.0.0.1:${port}/holdfast`;
}

test("a server that goes down just as it lets us in ends no process", async () => {
  const url = await startRude();
  await errorOf(() => openInTest({ url }), "STORE_UNREACHABLE");
});
