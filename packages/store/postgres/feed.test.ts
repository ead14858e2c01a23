import type { Changes } from "@holdfast/core";
import { expect, test } from "vitest";
import { Owner } from "../testing/change-builder.ts";
import type { PostgresStore } from "./postgres-store.ts";
import { HeldRow } from "./testing/held-row.ts";
import { ask, databaseInTest, openInTest } from "./testing/store-in-test.ts";
import { withConnection } from "./testing/test-database.ts";

function namesOf({ changed }: Changes): readonly string[] {
  return changed.map(({ workflow }) => workflow).sort();
}

async function openWith(names: readonly string[]) {
  const { url } = await databaseInTest();
  const store = await openInTest({ url });
  const owners = new Map<string, Owner>();
  for (const name of names) owners.set(name, await Owner.create(store, name));
  const owner = (name: string): Owner => owners.get(name) ?? expect.fail(name);
  return { url, store, owner };
}

/** The transaction that wrote the last record of a workflow. */
async function transactionOf(url: string, workflow: string): Promise<bigint> {
  const sql = `SELECT written_in::text FROM holdfast.journal WHERE workflow = '${workflow}'
    ORDER BY seq DESC LIMIT 1`;
  return BigInt(String((await ask(url, sql))[0]?.[0]));
}

test("a transaction that began first and ended last is not passed over", async () => {
  const { url, store, owner } = await openWith(["a", "b", "c", "d"]);
  const start = await store.readChanges(null);
  // It locks a, which makes it a transaction with a number, and then waits for b.
  const held = await HeldRow.hold(url, "b");
  const slow = store.commit([owner("a").change(), owner("b").change()]);
  await held.isWaitedFor();
  await owner("c").persist();
  const first = await store.readChanges(start.cursor);
  expect(namesOf(first)).toEqual(["c"]);
  await owner("d").persist();
  const second = await store.readChanges(first.cursor);
  expect(namesOf(second)).toEqual(["d"]);
  await held.letGo();
  expect((await slow).map(({ kind }) => kind)).toEqual(["committed", "committed"]);
  // The older number came last: whoever counts numbers would have passed it by.
  expect(await transactionOf(url, "a")).toBeLessThan(await transactionOf(url, "c"));
  const third = await store.readChanges(second.cursor);
  expect(namesOf(third)).toEqual(["a", "b"]);
  expect(namesOf(await store.readChanges(third.cursor))).toEqual([]);
  expect(namesOf(await store.readChanges(start.cursor))).toEqual(["a", "b", "c", "d"]);
});

test("neither is one whose change is the second of its group to be tried", async () => {
  const { url, store, owner } = await openWith(["a", "b", "c"]);
  const start = await store.readChanges(null);
  const held = await HeldRow.hold(url, "b");
  // One of another epoch sends the group through savepoints, which have numbers of their own.
  const slow = store.commit([owner("a").change({ epoch: 9 }), owner("b").change()]);
  await held.isWaitedFor();
  await owner("c").persist();
  const first = await store.readChanges(start.cursor);
  expect(namesOf(first)).toEqual(["c"]);
  await held.letGo();
  expect((await slow).map(({ kind }) => kind)).toEqual(["lease_lost", "committed"]);
  expect(namesOf(await store.readChanges(first.cursor))).toEqual(["b"]);
});

test("one that is taken back leaves no trace", async () => {
  const { url, store, owner } = await openWith(["a", "b"]);
  const start = await store.readChanges(null);
  const held = await HeldRow.hold(url, "b");
  const slow = store.commit([owner("a").change(), owner("b").change()]);
  await held.isWaitedFor();
  const refused = expect(slow).rejects.toMatchObject({ code: "STORE_BUSY", retry: "safe" });
  const first = await store.readChanges(start.cursor);
  await ask(
    url,
    `SELECT pg_cancel_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  await refused;
  await held.letGo();
  expect(namesOf(await store.readChanges(first.cursor))).toEqual([]);
});

async function followSteps(store: PostgresStore, owner: Owner): Promise<void> {
  let { cursor } = await store.readChanges(null);
  for (let round = 0; round < 5; round++) {
    await owner.persist();
    const changes = await store.readChanges(cursor);
    expect(changes.changed).toEqual([{ workflow: owner.workflow, head: owner.head.seq }]);
    cursor = changes.cursor;
  }
  expect((await store.readChanges(cursor)).changed).toEqual([]);
}

test("somebody else's transaction that stays open does not hold the feed back", async () => {
  const { url, store, owner } = await openWith(["a"]);
  await withConnection(url, async (client) => {
    await client.query("CREATE TABLE public.other (id int)");
    await client.query("BEGIN");
    await client.query("INSERT INTO public.other VALUES (1)");
    await followSteps(store, owner("a"));
    await client.query("COMMIT");
  });
  await followSteps(store, owner("a"));
});
