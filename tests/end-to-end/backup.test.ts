import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import {
  HostProcess,
  newFolder,
  runOffline,
  type StorePlace,
  verifyFull,
  writeAccounts,
} from "./host-process.ts";
import { OrderShop } from "./order-shop.ts";
import { places } from "./stores.ts";
import { deployOrders, publishOrders } from "./story.ts";

const ids = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => `o-${from + index}`);

test("[R160] a backup made while the host works is whole, and asks before it sends", async () => {
  const shop = await OrderShop.start();
  onTestFinished(() => shop.stop());
  const accountsFile = writeAccounts(newFolder(), shop.url);
  const store = await places.SQLite();
  const host = new HostProcess({ store, accountsFile });
  onTestFinished(() => host.kill("SIGKILL"));
  await deployOrders(host);
  await publishOrders(host, ids(0, 5));
  await expect.poll(() => shop.applied.length, { timeout: 30_000 }).toBe(5);
  const publishing = publishOrders(host, ids(5, 60));
  const into = join(newFolder(), "monday");
  expect(await host.holdfast("backup", into)).toMatchObject({ code: 0 });
  const second = await host.holdfast("backup", into);
  expect([second.code, second.out]).toEqual([3, expect.stringContaining("BACKUP_REFUSED")]);
  await publishing;
  await expect.poll(() => shop.applied.length, { timeout: 60_000 }).toBe(60);
  await host.stop();

  const restored: StorePlace = { kind: "sqlite", folder: join(newFolder(), "data") };
  const unread = await runOffline(restored, "restore", into);
  expect([unread.code, unread.out]).toEqual([2, expect.stringContaining("STORE_RESTORED.md")]);
  const done = await runOffline(restored, "restore", into, "--ledger-compared");
  expect(done).toMatchObject({ code: 0 });
  expect((await runOffline(restored, "restore", into, "--ledger-compared")).code).toBe(3);
  expect((await verifyFull(restored)).out).toContain("nothing differs");

  const again = new HostProcess({ store: restored, accountsFile });
  onTestFinished(() => again.kill("SIGKILL"));
  await again.url;
  const asked = async () => (await again.holdfast("attention")).out;
  await expect.poll(asked, { timeout: 30_000 }).toContain("ledger_may_be_older_than_world");
  expect(shop.applied).toHaveLength(60);
  await again.stop();
});

test("[R160] a backup that is only copied into place is refused", async () => {
  const store = await places.SQLite();
  if (store.kind !== "sqlite") throw new Error("a folder");
  const accountsFile = writeAccounts(newFolder(), "http://127.0.0.1:9");
  const host = new HostProcess({ store, accountsFile });
  onTestFinished(() => host.kill("SIGKILL"));
  await deployOrders(host);
  const into = join(newFolder(), "tuesday");
  await host.holdfast("backup", into);
  await host.stop();
  const folder = join(newFolder(), "data");
  mkdirSync(folder);
  cpSync(join(into, "holdfast.db"), join(folder, "holdfast.db"));
  const copied = new HostProcess({ store: { kind: "sqlite", folder }, accountsFile });
  onTestFinished(() => copied.kill("SIGKILL"));
  await expect(copied.url).rejects.toThrow("STORE_RESTORED");
});
