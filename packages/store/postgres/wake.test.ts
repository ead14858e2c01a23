import type { Wake } from "@holdfast/core";
import { expect, onTestFinished, test } from "vitest";
import { command } from "../testing/inbox.testsuite.ts";
import type { PostgresStore } from "./postgres-store.ts";
import { CuttingProxy, TestServer } from "./testing/index.ts";
import {
  ask,
  databaseInTest,
  emptyDatabaseInTest,
  openInTest,
  soon,
} from "./testing/store-in-test.ts";

/** Keeps what was heard, and waits for what must come. */
class Listener {
  readonly wakes: Wake[] = [];
  readonly end: () => void;

  constructor(store: PostgresStore) {
    this.end = store.watch((wake) => this.wakes.push(wake));
    onTestFinished(() => this.end());
  }

  /** Listening begins with a look everywhere. */
  static async start(store: PostgresStore): Promise<Listener> {
    const listener = new Listener(store);
    await listener.hears(isForAll);
    listener.wakes.length = 0;
    return listener;
  }

  async hears(isMeant: (wake: Wake) => boolean): Promise<void> {
    await soon(() => this.wakes.some(isMeant)).toBe(true);
  }

  hearsOf(workflow: string): Promise<void> {
    return this.hears(({ workflows }) => workflows?.includes(workflow) ?? false);
  }
}

const isForAll = ({ workflows }: Wake) => workflows === null;

const listening = `application_name = 'holdfast' AND query LIKE 'LISTEN%'
  AND datname = current_database()`;

/** Two processes as far as the database can tell. */
async function openTwo() {
  const { url } = await databaseInTest();
  const [one, other] = [await openInTest({ url }), await openInTest({ url })];
  await one.createWorkflow("orders");
  return { url, one, other };
}

test("a command given to one store wakes whoever watches another, by name", async () => {
  const { one, other } = await openTwo();
  const listener = await Listener.start(other);
  await one.appendCommand(command("c-1"));
  await listener.hearsOf("orders");
});

test("a watcher whose connection is killed looks everywhere, then hears names again", async () => {
  const { url, one, other } = await openTwo();
  const listener = await Listener.start(other);
  const kill = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${listening}`;
  expect(await ask(url, kill)).toEqual([[true]]);
  // What was said meanwhile is lost; the look that follows makes up for it.
  await one.appendCommand(command("lost"));
  await listener.hears(isForAll);
  await one.appendCommand(command("c-2"));
  await listener.hearsOf("orders");
});

test.each([
  ["nothing", ""],
  ["words", "orders"],
  ["a number", "7"],
  ["an object", '{"workflows":["orders"]}'],
  ["a list of numbers", "[1,2]"],
  ["a list with a hole", '["orders",null]'],
  ["broken JSON", '["orders"'],
  ["null", "null"],
])("what a stranger says on the line is a look everywhere: %s", async (_, payload) => {
  const { url, one, other } = await openTwo();
  const listener = await Listener.start(other);
  await ask(url, `SELECT pg_notify('holdfast_wake', '${payload}')`);
  await listener.hears(isForAll);
  await one.appendCommand(command("c-1"));
  await listener.hearsOf("orders");
});

test("seven hundred workflows that are given commands at once are all found", async () => {
  const { one, other } = await openTwo();
  const names = Array.from({ length: 700 }, (_, index) => `workflow-${index}`);
  for (const name of names) await one.createWorkflow(name);
  const listener = await Listener.start(other);
  await Promise.all(names.map((workflow) => one.appendCommand(command("c-1", { workflow }))));
  // More names than one message holds are told as a look everywhere.
  const heard = (name: string) =>
    listener.wakes.some(({ workflows }) => workflows === null || workflows.includes(name));
  await soon(() => names.every(heard)).toBe(true);
  expect(listener.wakes.length).toBeLessThan(names.length / 2);
});

test("names that are too long for one message still wake", async () => {
  const { one, other } = await openTwo();
  // So many that those which gather while one message is under way fill the next.
  const names = Array.from({ length: 200 }, (_, index) => `${index}`.padEnd(250, "x"));
  for (const name of names) await one.createWorkflow(name);
  const listener = await Listener.start(other);
  await Promise.all(names.map((workflow) => one.appendCommand(command("c-1", { workflow }))));
  await listener.hears(isForAll);
});

test("a wake-up that is lost on its way costs nothing but itself", async () => {
  const { url } = await databaseInTest();
  const proxy = await CuttingProxy.start(url);
  onTestFinished(() => proxy.stop());
  const told: Error[] = [];
  const store = await openInTest({ url: proxy.url(), onTrouble: (error) => told.push(error) });
  await store.createWorkflow("orders");
  const planned = proxy.plan({ place: { at: "before" }, matching: /pg_notify/ });
  await store.appendCommand(command("c-1"));
  await planned.settled;
  await soon(() => told.length).toBeGreaterThan(0);
  expect(await store.readInbox("orders", 10)).toHaveLength(1);
});

test("who has ended watching holds no connection any more, and can watch again", async () => {
  const { url, one, other } = await openTwo();
  const first = await Listener.start(other);
  const count = async () => (await ask(url, countSql))[0]?.[0];
  const countSql = `SELECT count(*) FROM pg_stat_activity WHERE ${listening}`;
  expect(await count()).toBe("1");
  first.end();
  await soon(count).toBe("0");
  const second = await Listener.start(other);
  await one.appendCommand(command("c-1"));
  await second.hearsOf("orders");
  expect(first.wakes).toEqual([]);
});

test("watching begins while the server is down, and hears when it is back", async () => {
  const server = await TestServer.start();
  onTestFinished(() => server.stop());
  const { url } = await emptyDatabaseInTest(server.url());
  const store = await openInTest({ url, onTrouble: () => {} });
  await store.createWorkflow("orders");
  await server.shutDown();
  const listener = new Listener(store);
  await server.restart();
  await listener.hears(isForAll);
  await store.appendCommand(command("c-1"));
  await listener.hearsOf("orders");
});
