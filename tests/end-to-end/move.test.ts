import { existsSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import {
  HostProcess,
  newFolder,
  runOffline,
  type StorePlace,
  verifyFull,
  writeAccounts,
} from "./host-process.ts";
import { chainOf, exportTo, fillStore, importFrom, newFile } from "./moving.ts";
import { OrderShop } from "./order-shop.ts";
import { answer, asked, askedToo, openQuestions, soon } from "./questions.ts";
import { places } from "./stores.ts";
import { deployOrders, machineScript, publishOrder, publishOrders, script } from "./story.ts";

/** Its producer makes an order of each run, and remembers how many it has made. */
const countingScript = script.replace(
  "handler: async () => {}",
  `handler: async (ctx, state) => {
    const n = (state?.n ?? 0) + 1;
    await ctx.publish("order.received", { messageId: "n-" + n, payload: { sum: 5 } });
    return { n };
  }`,
);

async function begin() {
  const shop = await OrderShop.start();
  onTestFinished(() => shop.stop());
  const accountsFile = writeAccounts(newFolder(), shop.url);
  const start = (store: StorePlace) => {
    const host = new HostProcess({ store, accountsFile });
    onTestFinished(() => host.kill("SIGKILL"));
    return host;
  };
  return { shop, start };
}

async function refusedStart(host: HostProcess): Promise<string> {
  expect(await host.ended).toMatchObject({ code: 3 });
  return host.output.join("");
}

const result = (number: number) => JSON.stringify({ status: 200, body: { number } });

/** The file goes into the other store, which is then as it was, record by record. */
async function move(from: StorePlace, to: StorePlace): Promise<void> {
  const before = await chainOf(from);
  const file = newFile();
  await exportTo(from, file);
  await importFrom(to, file);
  expect(await chainOf(to)).toEqual(before);
  expect((await verifyFull(to)).out).toContain("nothing differs");
}

const sendHeld = async (host: HostProcess) =>
  answer(host, await askedToo(host, "may_have_happened"), "send");

/** One order of the producer and one of a person are booked, one is unknown, and one waits. */
async function leaveAll(one: HostProcess, shop: OrderShop): Promise<void> {
  await deployOrders(one, ["shop.post"], [], countingScript);
  await one.holdfast("workflow", "run-now", "orders");
  await soon(() => shop.counts.get("n-1") === 1);
  await publishOrders(one, ["o-1"]);
  await soon(() => shop.counts.get("o-1") === 1);
  shop.mood = "drops the answer";
  await publishOrders(one, ["o-2"]);
  await asked(one, "outcome_unknown");
  await publishOrders(one, ["o-3"]);
  shop.mood = "answers";
}

test("[R160, R148] a store goes to PostgreSQL and back, and sends nothing twice", async () => {
  const { shop, start } = await begin();
  const [first, second, third] = [
    await places.SQLite(),
    await places.PostgreSQL(),
    await places.SQLite(),
  ];

  const one = start(first);
  await leaveAll(one, shop);
  await one.stop();
  const heard = shop.heard.length;

  await move(first, second);
  expect(await refusedStart(start(first))).toContain("STORE_EXPORTED");

  const two = start(second);
  const older = await askedToo(two, "ledger_may_be_older_than_world");
  expect((await two.holdfast("attention", "show", "orders", older.attentionId)).out).toMatch(
    /was exported by \S+ at .* and imported here by/,
  );
  expect((await two.holdfast("journal", "tail", "orders", "--json")).out).toMatch(
    /"arrival":\{[^}]*"withState":true[^}]*"exportedBy":"\w+"/,
  );
  await answer(two, await askedToo(two, "outcome_unknown"), "happened", "--result", result(3));
  expect(shop.heard).toHaveLength(heard);
  await answer(two, older, "continue");
  await asked(two, "may_have_happened");
  expect(shop.heard).toHaveLength(heard);
  await sendHeld(two);
  await soon(() => shop.counts.get("o-3") === 1);
  await publishOrders(two, ["o-4"]);
  await soon(() => shop.counts.get("o-4") === 1);
  await two.holdfast("workflow", "run-now", "orders");
  await sendHeld(two);
  await soon(() => shop.counts.get("n-2") === 1);
  expect(await two.holdfast("workflow", "pause", "orders")).toMatchObject({ code: 0 });
  await publishOrders(two, ["o-5"]);
  await two.stop();

  await move(second, third);
  expect(await refusedStart(start(second))).toContain("STORE_EXPORTED");

  const three = start(third);
  await three.holdfast("workflow", "resume", "orders");
  await answer(three, await askedToo(three, "ledger_may_be_older_than_world"), "continue");
  await sendHeld(three);
  await soon(() => shop.counts.get("o-5") === 1);
  await three.stop();
  const ids = ["n-1", "o-1", "o-2", "o-3", "o-4", "n-2", "o-5"];
  expect(shop.counts).toEqual(new Map(ids.map((id) => [id, 1])));
  expect((await verifyFull(third)).out).toContain("nothing differs");
});

test("[R160] machines go along, and their journal runs again to the byte", async () => {
  const { shop, start } = await begin();
  const [first, second] = [await places.SQLite(), await places.PostgreSQL()];
  const one = start(first);
  await deployOrders(one, ["shop.post"], [], machineScript);
  await publishOrder(one, "o-1", { id: "o-1", sum: 5 });
  await soon(() => shop.applied.length === 1);
  await one.holdfast("workflow", "pause", "orders");
  await publishOrder(one, "o-2", { id: "o-2", sum: 5 });
  await one.stop();
  await move(first, second);
  const two = start(second);
  await two.holdfast("workflow", "resume", "orders");
  await answer(two, await askedToo(two, "ledger_may_be_older_than_world"), "continue");
  await sendHeld(two);
  await soon(() => shop.applied.length === 2);
  expect(await two.holdfast("machine", "replay", "orders")).toMatchObject({ code: 0 });
  await two.stop();
  expect((await verifyFull(second)).out).toContain("nothing differs");
});

test.each(Object.entries(places))(
  "[R160] an exported store on %s goes on by a word, and asks",
  async (_, newPlace) => {
    const { start } = await begin();
    const store = await newPlace();
    const first = start(store);
    await deployOrders(first);
    await first.stop();
    await exportTo(store, newFile());
    for (const words of [[], ["--unnoticed"]]) {
      const refused = await runOffline(store, "accept-restored", "--ledger-compared", ...words);
      expect([refused.code, refused.out]).toEqual([3, expect.stringContaining("STORE_EXPORTED")]);
    }
    const unsaid = await runOffline(store, "accept-restored", "--exported");
    expect([unsaid.code, unsaid.out]).toEqual([2, expect.stringContaining("--ledger-compared")]);
    const said = await runOffline(store, "accept-restored", "--ledger-compared", "--exported");
    expect([said.code, said.out]).toEqual([0, expect.stringContaining("from now on")]);
    const second = start(store);
    await asked(second, "ledger_may_be_older_than_world");
    await second.stop();
  },
);

test("[R148] what producers remember leaves only by a word", async () => {
  const store = await places.SQLite();
  await fillStore(store);
  const file = newFile();
  const unsaid = await runOffline(store, "export", file);
  expect([unsaid.code, unsaid.out]).toEqual([2, expect.stringContaining("--with-state")]);
  expect(existsSync(file)).toBe(false);
  expect(await verifyFull(store)).toMatchObject({ code: 0 });
});

test("[R160] no store is exported or imported into while a host works on it", async () => {
  const { start } = await begin();
  const file = newFile();
  const other = await places.SQLite();
  await fillStore(other);
  await exportTo(other, file);
  const codes = { SQLite: "STORE_LOCKED", PostgreSQL: "EXPORT_REFUSED" };
  for (const name of ["SQLite", "PostgreSQL"] as const) {
    const store = await places[name]();
    const host = start(store);
    await host.url;
    const leaving = await runOffline(store, "export", newFile(), "--with-state");
    expect([leaving.code, leaving.out]).toEqual([3, expect.stringContaining(codes[name])]);
    const coming = await runOffline(store, "import", file);
    expect(coming.code).toBe(3);
    expect(coming.out).toMatch(name === "SQLite" ? /STORE_LOCKED/ : /IMPORT_REFUSED.*at work/);
    await deployOrders(host);
    expect(await openQuestions(host)).toEqual([]);
    await host.stop();
  }
});
