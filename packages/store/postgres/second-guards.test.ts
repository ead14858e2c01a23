import { randomUUID } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import { Owner } from "../testing/change-builder.ts";
import { applyPostgresSchema, grantPostgresRole } from "./index.ts";
import { sharedServerUrl } from "./testing/index.ts";
import {
  ask,
  databaseInTest,
  emptyDatabaseInTest,
  errorOf,
  openInTest,
  urlWith,
} from "./testing/store-in-test.ts";

test.each([
  "postgres://ann:1234/topsecret@127.0.0.1:1/shop",
  "postgres://ann:top@secret/word@127.0.0.1:1/shop",
  "postgres://ann:top#secret@127.0.0.1:1/shop",
])("an address with an unescaped password is refused and not repeated: %s", async (url) => {
  const { message } = await errorOf(() => openInTest({ url }), "STORE_UNREACHABLE");
  expect(message).not.toMatch(/secret|word|1234/);
});

test("what cannot be written in one change does not fail its neighbour", async () => {
  const { url } = await databaseInTest();
  const store = await openInTest({ url });
  const [good, bad] = [await Owner.create(store, "good"), await Owner.create(store, "bad")];
  const faults = [
    bad.change({ dueAt: Number.NaN }),
    bad.change({ settledBelow: [{ topic: "a\u0000b", position: 1 }] }),
    { ...bad.change(), rows: [{ op: "clear_kv", handler: "\uD800" } as const] },
  ];
  for (const fault of faults) {
    const change = good.change();
    const answers = await store.commit([fault, change]);
    expect(answers).toMatchObject([
      { kind: "refused", constraint: "value_fits_column" },
      { kind: "committed" },
    ]);
    good.advance(change);
  }
  const [noHead] = await store.commit([{ ...bad.change({ facts: [] }), expectedHead: Number.NaN }]);
  expect(noHead).toEqual({ kind: "conflict", head: 0 });
});

test("a cursor of a moment yet to come, or of no moment, is not one of this store", async () => {
  const { url } = await databaseInTest();
  const store = await openInTest({ url });
  const future = `${store.storeIncarnation} 999999999:999999999:`;
  await errorOf(() => store.readChanges(future), "CURSOR_UNKNOWN");
  await errorOf(() => store.readChanges(`${store.storeIncarnation} 9:3:`), "CURSOR_UNKNOWN");
});

test("workflows that no store is named for are not given a new one", async () => {
  const { url } = await databaseInTest();
  const store = await openInTest({ url });
  await store.createWorkflow("orders");
  await ask(url, "DELETE FROM holdfast.store_meta");
  await errorOf(() => openInTest({ url }), "STORE_RESTORED");
});

async function roleInTest(serverUrl: string): Promise<string> {
  const role = `holdfast_role_${randomUUID().slice(0, 8)}`;
  await ask(serverUrl, `CREATE ROLE ${role} LOGIN`);
  onTestFinished(async () => {
    await ask(serverUrl, `DROP ROLE ${role}`);
  });
  return role;
}

test("an owner that may make no schema fills the one an administrator made for it", async () => {
  const server = await sharedServerUrl();
  const role = await roleInTest(server);
  const { url } = await emptyDatabaseInTest(server);
  await ask(url, `CREATE SCHEMA holdfast AUTHORIZATION ${role}`);
  await applyPostgresSchema({ url: urlWith(url, { user: role }) });
  await openInTest({ url });
  await ask(url, `REASSIGN OWNED BY ${role} TO CURRENT_USER`);
});

test("granting by somebody who may not is refused, and not reported as done", async () => {
  const server = await sharedServerUrl();
  const [other, role] = [await roleInTest(server), await roleInTest(server)];
  const { url } = await databaseInTest();
  await ask(url, `GRANT USAGE ON SCHEMA holdfast TO ${other}`);
  const asOther = { url: urlWith(url, { user: other }) };
  await errorOf(() => grantPostgresRole(asOther, role), "STORE_ACCESS_DENIED");
  await ask(url, `DROP OWNED BY ${other}`);
});
