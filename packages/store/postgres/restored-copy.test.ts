import { expect, onTestFinished, test } from "vitest";
import { Owner } from "../testing/change-builder.ts";
import { createTestDatabase, sharedServerUrl, TestServer } from "./testing/index.ts";
import { MovableAddress } from "./testing/movable-address.ts";
import { ask, databaseInTest, errorOf, openInTest, reconnected } from "./testing/store-in-test.ts";

/** What a dump and its restoring leave: the same rows in a schema that was made anew. */
async function restoreInto(url: string, source: string): Promise<void> {
  await openInTest({ url });
  const columns = "store_incarnation, system_identifier, timeline, database";
  const [meta] = await ask(source, `SELECT ${columns} FROM holdfast.store_meta`);
  const values = meta?.map((value) => `'${value}'`).join(", ");
  await ask(url, `UPDATE holdfast.store_meta SET (${columns}) = (${values})`);
}

test("[R160] a copy of the database is not the store; accepted, all is looked at", async () => {
  const source = await databaseInTest();
  const store = await openInTest({ url: source.url });
  await (await Owner.create(store)).persist();
  await store.close();
  const copy = await createTestDatabase(await sharedServerUrl(), { template: source.name });
  onTestFinished(() => copy.drop());
  const error = await errorOf(() => openInTest({ url: copy.url }), "STORE_RESTORED");
  expect(error.message).toContain("is a copy");
  const newIncarnation = () => "store-2";
  const accepted = await openInTest({ url: copy.url, newIncarnation, acceptRestored: true });
  expect(accepted).toMatchObject({ storeIncarnation: "store-2", restoredFrom: "store-1" });
  await accepted.openHost({ incarnation: "host-9", leaseMs: 1_000 });
  const { claims } = await accepted.claim("host-9", 10);
  expect(claims).toMatchObject([{ workflow: "orders", unclean: true }]);
  await (await Owner.of(accepted, "orders")).persist();
  // The one it was copied from goes on as before.
  const again = await openInTest({ url: source.url });
  expect(again.storeIncarnation).toBe("store-1");
});

test("a dump that was restored on the same server is not the store", async () => {
  const source = await databaseInTest();
  await openInTest({ url: source.url });
  const target = await databaseInTest();
  await restoreInto(target.url, source.url);
  await errorOf(() => openInTest({ url: target.url }), "STORE_RESTORED");
});

test("a store whose address comes to mean a restored copy writes nothing there", async () => {
  const source = await databaseInTest();
  const address = await MovableAddress.start(source.url);
  onTestFinished(() => address.stop());
  const store = await openInTest({ url: address.url, onTrouble: () => {} });
  const owner = await Owner.create(store);
  await owner.persist();
  // On another server, with the same name: only the server itself tells them apart.
  const other = await TestServer.start();
  onTestFinished(() => other.stop());
  await ask(other.url(), `CREATE DATABASE ${source.name}`);
  await restoreInto(other.url(source.name), source.url);
  address.moveTo(other.url(source.name));
  await reconnected(store);
  await errorOf(() => store.commit([owner.change()]), "STORE_RESTORED");
  await errorOf(() => store.createWorkflow("new"), "STORE_RESTORED");
  address.moveTo(source.url);
  await reconnected(store);
  await owner.persist();
});
