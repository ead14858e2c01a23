import { cpSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createTestDatabase, sharedServerUrl } from "@holdfast/store/testing/postgres";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  HostProcess,
  newFolder,
  runOffline,
  type StorePlace,
  verifyFull,
  writeAccounts,
} from "./host-process.ts";
import { OrderShop } from "./order-shop.ts";
import { answer, asked, askedToo, openQuestions, soon } from "./questions.ts";
import { places } from "./stores.ts";
import { deployOrders, itemScript, machineScript, publishOrder, publishOrders } from "./story.ts";

/** Takes a backup of a store that nobody works on; the answer puts it back, and says where. */
type TakeBackup = (store: StorePlace) => Promise<() => Promise<StorePlace>>;

const backups: Readonly<Record<keyof typeof places, TakeBackup>> = {
  SQLite: async (store) => {
    if (store.kind !== "sqlite") throw new Error("a folder is copied");
    const { folder } = store;
    const backup = join(newFolder(), "backup");
    cpSync(folder, backup, { recursive: true });
    return async () => {
      renameSync(folder, `${folder}.lost`);
      cpSync(backup, folder, { recursive: true });
      return store;
    };
  },
  PostgreSQL: async (store) => {
    if (store.kind !== "postgres") throw new Error("a database is copied");
    const template = new URL(store.url).pathname.slice(1);
    const copy = await createTestDatabase(await sharedServerUrl(), { template });
    onTestFinished(copy.drop);
    return async () => ({ kind: "postgres", url: copy.url });
  },
};

async function begin(account: object = {}) {
  const shop = await OrderShop.start();
  onTestFinished(() => shop.stop());
  const accountsFile = writeAccounts(newFolder(), shop.url, account);
  const start = (store: StorePlace, environment = {}) => {
    const host = new HostProcess({ store, accountsFile, environment });
    onTestFinished(() => host.kill("SIGKILL"));
    return host;
  };
  return { shop, start };
}

/** A backup in which o-2 and o-3 wait, and a world in which they were booked. */
async function restoredOrders(
  newStore: () => Promise<StorePlace>,
  takeBackup: TakeBackup,
  account: object = {},
) {
  const store = await newStore();
  const { shop, start } = await begin(account);
  const first = start(store);
  await deployOrders(first);
  await publishOrders(first, ["o-1"]);
  await soon(() => shop.applied.length === 1);
  expect(await first.holdfast("workflow", "pause", "orders")).toMatchObject({ code: 0 });
  for (const id of ["o-2", "o-3"]) await publishOrders(first, [id]);
  await first.stop();
  const putBack = await takeBackup(store);
  const second = start(store);
  await second.holdfast("workflow", "resume", "orders");
  await soon(() => shop.applied.length === 3);
  await second.stop();
  return { shop, start, store: await putBack() };
}

const once = (...ids: readonly string[]) => new Map(ids.map((id) => [id, 1]));

const stores = Object.keys(places) as (keyof typeof places)[];

describe.each(stores)("a backup that was put back, on %s", (name) => {
  const restored = () => restoredOrders(places[name], backups[name]);

  test("[R160] sends nothing twice: it is refused, accepted, asked about, and asks", async () => {
    const { shop, start, store } = await restored();
    const refused = start(store);
    expect(await refused.ended).toMatchObject({ code: 3 });
    expect(refused.output.join("")).toContain("STORE_RESTORED");
    const accepted = await runOffline(store, "accept-restored", "--ledger-compared");
    expect(accepted.out).toMatch(/the store was [\w-]+ and is [\w-]+ from now on/);
    const host = start(store);
    const older = await asked(host, "ledger_may_be_older_than_world");
    await host.holdfast("workflow", "resume", "orders");
    const why = async () => (await host.holdfast("why", "orders", "order.received/o-2")).out;
    await expect.poll(why, { timeout: 60_000 }).toMatch(/the brake on .*\(the store was restored/);
    expect((await host.holdfast("brake", "off", "orders")).out).toContain(
      "answer the question about that",
    );
    // A person's own brake is not the restore's: the answer to that leaves it on.
    const mine = await host.holdfast("brake", "on", "orders", "--reason", "I am comparing");
    expect(mine).toMatchObject({ code: 0 });
    await answer(host, older, "continue");
    await expect.poll(why, { timeout: 60_000 }).toMatch(/the brake on .*\(I am comparing/);
    expect(await host.holdfast("brake", "off", "orders")).toMatchObject({ code: 0 });
    const result = JSON.stringify({ status: 200, body: { number: 2 } });
    const held = await asked(host, "may_have_happened");
    await answer(host, held, "happened", "--result", result);
    await expect.poll(why, { timeout: 60_000 }).toMatch(/o-2 .*is done/);
    await answer(host, await asked(host, "may_have_happened"), "skip");
    await publishOrders(host, ["o-4"]);
    await soon(() => shop.applied.length === 4);
    expect(await host.stop()).toMatchObject({ code: 0 });
    expect(shop.counts).toEqual(once("o-1", "o-2", "o-3", "o-4"));
    expect((await verifyFull(store)).out).toContain("nothing differs");
    expect(await start(store).url).toContain("http");
  });

  test("[R160] a host that dies while it notes the restore leaves one question", async () => {
    const { shop, start, store } = await restored();
    await runOffline(store, "accept-restored", "--ledger-compared");
    for (let life = 0; life < 3; life++) {
      // Short: what a host leaves behind that was killed is taken over when it is over.
      const host = start(store, { HOLDFAST_LEASE_MS: "2000" });
      await host.url;
      host.kill("SIGKILL");
      await host.ended;
    }
    const host = start(store);
    await host.holdfast("workflow", "resume", "orders");
    const older = await asked(host, "ledger_may_be_older_than_world");
    await answer(host, older, "continue");
    const held = await asked(host, "may_have_happened");
    expect(shop.counts).toEqual(once("o-1", "o-2", "o-3"));
    await answer(host, held, "send");
    await soon(() => shop.counts.get("o-2") === 2);
    await host.stop();
  });
});

/** The host takes its keys for good for a whole day more. */
const byKey = { idempotency: { header: "Idempotency-Key", retentionMs: 86_400_000 } };

const soonAgain = { reconcileDelayMs: 100, reconcileDelayMsMax: 200 };

/**
 * A backup in which nobody knows of o-2 whether it was booked, and a world in which it was, under
 * the key that the backup knows.
 */
async function restoredUnknown(newStore: () => Promise<StorePlace>, takeBackup: TakeBackup) {
  const store = await newStore();
  const { shop, start: startSlow } = await begin(byKey);
  const policyFile = join(newFolder(), "policy.json");
  writeFileSync(policyFile, JSON.stringify({ all: soonAgain }));
  const start = (at: StorePlace) => startSlow(at, { HOLDFAST_POLICY: policyFile });
  const first = start(store);
  await deployOrders(first);
  shop.mood = "drops the answer";
  await publishOrders(first, ["o-2"]);
  const states = async () => (await first.holdfast("mutations", "orders")).out;
  await expect.poll(states, { timeout: 60_000 }).toContain("needs_reconcile");
  await first.stop();
  const putBack = await takeBackup(store);
  shop.mood = "answers";
  const second = start(store);
  const after = async () => (await second.holdfast("mutations", "orders")).out;
  await expect.poll(after, { timeout: 60_000 }).toContain("applied");
  await second.stop();
  return { shop, start, store: await putBack() };
}

describe.each(stores)("a backup put back when keys are forgotten, on %s", (name) => {
  test("[R160, R75] what was sent since is not sent again under the same key", async () => {
    const { shop, start, store } = await restoredOrders(places[name], backups[name], byKey);
    shop.forgetKeys();
    await runOffline(store, "accept-restored", "--ledger-compared");
    const host = start(store);
    await host.holdfast("workflow", "resume", "orders");
    await answer(host, await asked(host, "ledger_may_be_older_than_world"), "continue");
    const result = JSON.stringify({ status: 200, body: { number: 2 } });
    await answer(host, await asked(host, "may_have_happened"), "happened", "--result", result);
    const why = async () => (await host.holdfast("why", "orders", "order.received/o-2")).out;
    await expect.poll(why, { timeout: 60_000 }).toMatch(/o-2 .*is done/);
    await answer(host, await asked(host, "may_have_happened"), "skip");
    await publishOrders(host, ["o-4"]);
    await soon(() => shop.applied.length === 4);
    await host.stop();
    expect(shop.counts).toEqual(once("o-1", "o-2", "o-3", "o-4"));
    expect((await verifyFull(store)).out).toContain("nothing differs");
  });

  test("[R160, R75] what would be found out by sending again is asked instead", async () => {
    const { shop, start, store } = await restoredUnknown(places[name], backups[name]);
    shop.forgetKeys();
    const heard = shop.heard.length;
    await runOffline(store, "accept-restored", "--ledger-compared");
    const host = start(store);
    // The other question may be there already: whoever asks first is chance.
    await answer(host, await askedToo(host, "ledger_may_be_older_than_world"), "continue");
    const unknown = await asked(host, "outcome_unknown");
    expect(shop.heard).toHaveLength(heard);
    const result = JSON.stringify({ status: 200, body: { number: 1 } });
    await answer(host, unknown, "happened", "--result", result);
    await publishOrders(host, ["o-3"]);
    await soon(() => shop.applied.length === 2);
    await host.stop();
    expect(shop.counts).toEqual(once("o-2", "o-3"));
    expect((await verifyFull(store)).out).toContain("nothing differs");
  });
});

/**
 * A backup in which the first of o-2's three calls was made and o-3 waits, and a world in which
 * all of them were.
 */
async function restoredItems(newStore: () => Promise<StorePlace>, takeBackup: TakeBackup) {
  const store = await newStore();
  const { shop, start } = await begin();
  const first = start(store);
  await deployOrders(first, ["shop.post"], [], itemScript);
  shop.mood = (applied) => (applied === 1 ? "refuses" : "answers");
  await publishOrders(first, ["o-2"]);
  await asked(first, "run_failed");
  await publishOrders(first, ["o-3"]);
  await first.stop();
  const putBack = await takeBackup(store);
  shop.mood = "answers";
  const second = start(store);
  await answer(second, await asked(second, "run_failed"), "retry");
  await soon(() => shop.applied.length === 6);
  await second.stop();
  return { shop, start, store: await putBack() };
}

test.each(stores)("[R160, L9] items of a backup on %s ask, call by call", async (name) => {
  const { shop, start, store } = await restoredItems(places[name], backups[name]);
  await runOffline(store, "accept-restored", "--ledger-compared");
  const host = start(store);
  const older = await asked(host, "ledger_may_be_older_than_world", "run_failed");
  await answer(host, older, "continue");
  await answer(host, await asked(host, "run_failed"), "retry");
  for (const number of [2, 3]) {
    const held = await asked(host, "may_have_happened");
    const result = JSON.stringify({ status: 200, body: { number } });
    await answer(host, held, "happened", "--result", result);
    await soon(async () => (await openQuestions(host))[0]?.attentionId !== held.attentionId);
  }
  await answer(host, await asked(host, "may_have_happened"), "skip");
  await publishOrders(host, ["o-4"]);
  await soon(() => shop.applied.length === 9);
  const items = async () => (await host.holdfast("items", "ls", "orders")).out;
  await expect.poll(items, { timeout: 60_000 }).toMatch(/o-4 .*done.*o-3 .*skipped.*o-2 .*done/s);
  expect(await host.stop()).toMatchObject({ code: 0 });
  const calls = ["o-2", "o-3", "o-4"].flatMap((id) => [1, 2, 3].map((no) => `${id}/${no}`));
  expect(shop.counts).toEqual(once(...calls));
  expect((await verifyFull(store)).out).toContain("nothing differs");
});

/** An order for a machine: its key is in it. */
const place = (host: HostProcess, id: string) => publishOrder(host, id, { id, sum: 5 });

/** A backup in which o-2 and o-3 wait for the machine, and a world in which they were booked. */
async function restoredMachine(newStore: () => Promise<StorePlace>, takeBackup: TakeBackup) {
  const store = await newStore();
  const { shop, start } = await begin();
  const first = start(store);
  await deployOrders(first, ["shop.post"], [], machineScript);
  await place(first, "o-1");
  await soon(() => shop.applied.length === 1);
  expect(await first.holdfast("workflow", "pause", "orders")).toMatchObject({ code: 0 });
  for (const id of ["o-2", "o-3"]) await place(first, id);
  await first.stop();
  const putBack = await takeBackup(store);
  const second = start(store);
  await second.holdfast("workflow", "resume", "orders");
  await soon(() => shop.applied.length === 3);
  await second.stop();
  return { shop, start, store: await putBack() };
}

test.each(stores)("[R160] machines of a backup on %s ask before an older call", async (name) => {
  const { shop, start, store } = await restoredMachine(places[name], backups[name]);
  await runOffline(store, "accept-restored", "--ledger-compared");
  const first = start(store);
  await answer(first, await asked(first, "ledger_may_be_older_than_world"), "continue");
  await first.holdfast("workflow", "resume", "orders");
  await asked(first, "may_have_happened", "may_have_happened");
  await first.stop();
  const host = start(store);
  for (const left of [["may_have_happened"], []]) {
    const [held] = await openQuestions(host);
    if (held === undefined) throw new Error("nothing is asked");
    const result = JSON.stringify({ status: 200, body: { number: 2 } });
    await answer(host, held, "happened", "--result", result);
    await expect.poll(async () => (await openQuestions(host)).length).toBe(left.length);
  }
  await place(host, "o-4");
  await soon(() => shop.applied.length === 4);
  const booked = async () => (await host.holdfast("machine", "cells", "orders")).out;
  await expect
    .poll(async () => (await booked()).match(/completed/g)?.length, { timeout: 60_000 })
    .toBe(4);
  expect(await openQuestions(host)).toEqual([]);
  expect(await host.holdfast("machine", "replay", "orders")).toMatchObject({ code: 0 });
  expect(await host.stop()).toMatchObject({ code: 0 });
  expect(shop.counts).toEqual(once("o-1", "o-2", "o-3", "o-4"));
  expect((await verifyFull(store)).out).toContain("nothing differs");
});

test("[R160] what was never restored is not accepted, unless a person says it was", async () => {
  const store = await places.SQLite();
  const { start } = await begin();
  const first = start(store);
  await deployOrders(first);
  await first.stop();
  const nothing = await runOffline(store, "accept-restored", "--ledger-compared");
  expect(nothing.out).toContain("there is nothing to accept");
  const said = ["accept-restored", "--ledger-compared", "--unnoticed"];
  expect((await runOffline(store, ...said)).out).toContain("from now on");
  const second = start(store);
  await asked(second, "ledger_may_be_older_than_world");
  await second.stop();
});

test("[R160] a workflow that begins in a restored store is not asked about", async () => {
  const store = await places.SQLite();
  const { shop, start } = await begin();
  const first = start(store);
  await first.url;
  await first.stop();
  await runOffline(store, "accept-restored", "--ledger-compared", "--unnoticed");
  const host = start(store);
  await deployOrders(host);
  await publishOrders(host, ["o-1"]);
  await soon(() => shop.applied.length === 1);
  expect(await openQuestions(host)).toEqual([]);
  await host.stop();
});
