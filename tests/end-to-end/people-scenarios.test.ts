import { describe, expect, test } from "vitest";
import { Desk, patience } from "./desk.ts";
import { type StorePlace, verifyFull } from "./host-process.ts";
import { places } from "./stores.ts";
import { deployOrders, script } from "./story.ts";

function changed(from: string | RegExp, to: string, text = script): string {
  const found = text.replace(from, () => to);
  expect(found).not.toBe(text);
  return found;
}

async function endsSound(desk: Desk, store: StorePlace): Promise<void> {
  await desk.host.stop();
  expect((await verifyFull(store)).out).toContain("nothing differs");
}

async function statusOf(desk: Desk, id: string): Promise<string> {
  const path = `/workflows/orders/events/order.received/${id}`;
  return (await desk.host.api<{ status: string }>("GET", path)).status;
}

type Input = { readonly inputId: string; readonly externalId: string };

async function skipInput(desk: Desk, id: string): Promise<string> {
  const path = "/workflows/orders/inputs?limit=100";
  const { items } = await desk.host.api<{ items: readonly Input[] }>("GET", path);
  const found = items.find(({ externalId }) => externalId === `order.received/${id}`);
  return desk.say("inputs", "skip", "orders", found?.inputId ?? `the input of ${id}`);
}

type Question = {
  readonly attentionId: string;
  readonly note: string;
  readonly call: { readonly params: { readonly body: { readonly id: string } } } | null;
};

async function openQuestions(desk: Desk): Promise<readonly Question[]> {
  const path = "/workflows/orders/attention?status=open";
  return (await desk.host.api<{ items: readonly Question[] }>("GET", path)).items;
}

/** What is asked, or what the shop has heard beyond the first requests, if that comes first. */
async function heldOrSent(desk: Desk, before: number): Promise<string> {
  let found: string | undefined;
  const isFound = async () => {
    found = desk.shop.heard[before] ?? (await openQuestions(desk))[0]?.note;
    return found !== undefined;
  };
  await expect.poll(isFound, patience).toBe(true);
  return found ?? "";
}

/** The question about the call for this order, once it is asked. */
async function asked(desk: Desk, id: string): Promise<string> {
  let found: Question | undefined;
  const isAsked = async () => {
    found = (await openQuestions(desk)).find(({ call }) => call?.params.body.id === id);
    return found !== undefined;
  };
  await expect.poll(isAsked, patience).toBe(true);
  return found?.attentionId ?? "";
}

async function published(desk: Desk, ...ids: readonly string[]): Promise<void> {
  for (const id of ids) await desk.publish(id, 5);
}

describe.each(Object.entries(places))("what people decide, on %s", (_, newStore) => {
  test("[S51, R92] rejecting takes a reason, and then skips or stops", async () => {
    const store = await newStore();
    const desk = await Desk.open(store);
    const tells = `if (result.status !== "applied") {
          await ctx.publish("order.booked", { messageId: "no " + prepared.data.id });
          return;
        }`;
    const text = changed('if (result.status !== "applied") return;', tells);
    await deployOrders(desk.host, [], ["shop.post"], text);
    await published(desk, "o-1", "o-2");
    const first = await asked(desk, "o-1");
    await desk.crash();
    const path = `/workflows/orders/attention/${first}`;
    for (const reason of [undefined, "", " "]) {
      // biome-ignore lint/suspicious/noThenProperty: the word of the contract; never awaited
      const bare = desk.host.api("POST", path, { answer: "reject", then: "skip", reason });
      await expect(bare).rejects.toThrow("reason");
    }
    expect(await asked(desk, "o-1")).toBe(first);
    const reject = (attentionId: string, way: string) =>
      desk.say("reject", "orders", attentionId, "--then", way, "--reason", "not wanted");
    expect(await reject(first, "skip")).toMatch(/^0 /);
    const second = await asked(desk, "o-2");
    expect(await desk.say("events", "ls", "orders", "--topic", "order.booked")).toContain("no o-1");
    expect(await statusOf(desk, "o-1")).toBe("skipped");
    await desk.crash();
    expect(await reject(first, "stop")).toMatch(/^3 .*COMMAND_REFUSED/s);
    expect(await reject(second, "stop")).toMatch(/^0 /);
    await desk.crash();
    const workflow = await desk.host.api("GET", "/workflows/orders");
    expect(workflow).toMatchObject({ status: "paused" });
    expect(await statusOf(desk, "o-2")).toBe("pending");
    expect(await desk.say("approve", "orders", second)).toMatch(/^3 .*COMMAND_REFUSED/s);
    expect(desk.shop.heard).toEqual([]);
    await desk.say("workflow", "resume", "orders");
    expect(await desk.say("approve", "orders", await asked(desk, "o-2"))).toMatch(/^0 /);
    await desk.booked(5);
    expect([...desk.shop.counts]).toEqual([["o-2", 1]]);
    await endsSound(desk, store);
  });

  test("[S54] what lies outside of its grant is held before any I/O", async () => {
    const store = await newStore();
    const desk = await Desk.open(store, ["spare"]);
    await deployOrders(desk.host, [], [], wandering());
    const where = [
      { at: "/path", equals: "/orders" },
      { at: "/body/sum", max: 100 },
    ];
    await desk.grant({ say: "allow", where });
    await desk.publish("o-1", 100);
    await desk.booked(100);
    const held = [
      ["o-2", 101, "shop.post was not allowed: grant 1: /body/sum is 101, not a number up to 100"],
      ["refund", 5, 'shop.post was not allowed: grant 1: /path is "/refund", not "/orders"'],
      ["spare", 5, "spare.post was not allowed: no grant names it"],
      ["look", 5, "spare.get was not allowed: no grant names it"],
    ] as const;
    for (const [id, sum, words] of held) {
      await desk.publish(id, sum);
      expect(await heldOrSent(desk, 1)).toContain(words);
      if (id === "spare") await desk.crash();
      if (id !== "look") expect(await skipInput(desk, id)).toMatch(/^0 1 skipped/);
    }
    const moved = changed('account: "shop"', 'account: "spare"', wandering());
    const source = { entry: "orders.ts", files: { "orders.ts": moved } };
    const elsewhere = desk.host.api("POST", "/versions", { source });
    await expect(elsewhere).rejects.toThrow("shop (http of spare) is used now");
    expect(desk.shop.heard).toEqual(["POST /orders"]);
    await desk.grant({ say: "allow", where }, { operation: "spare.get", say: "allow" });
    await desk.booked(100, 5);
    expect(desk.shop.heard.slice(1)).toEqual(["GET /spare/orders", "POST /orders"]);
    await endsSound(desk, store);
  });

  test("[S58, R121] an input is skipped as far as nothing was done for it", async () => {
    const store = await newStore();
    const desk = await Desk.open(store);
    await deployOrders(desk.host, [], ["shop.post"], inBatches());
    await desk.publish("a", 1);
    const aboutA = await asked(desk, "a");
    await desk.publish("b", 2);
    expect(await statusOf(desk, "a")).toBe("reserved");
    expect(await statusOf(desk, "b")).toBe("pending");
    expect(await skipInput(desk, "b")).toMatch(/^0 1 skipped, 0 done already/);
    await desk.crash();
    expect(await skipInput(desk, "a")).toMatch(/^0 1 skipped, 0 done already/);
    expect(await desk.say("approve", "orders", aboutA)).toMatch(/^3 .*COMMAND_REFUSED/s);
    for (const id of ["a", "b"]) {
      expect(await statusOf(desk, id)).toBe("skipped");
      expect(await skipInput(desk, id)).toMatch(
        /^3 .*COMMAND_REFUSED: The input has been skipped/s,
      );
    }
    await skipsOneOfBatch(desk);
    await leavesWhatMayHaveHappened(desk);
    await endsSound(desk, store);
  });

  test("[S59, R36] a title that pretends is told as the script's words alone", async () => {
    const store = await newStore();
    const desk = await Desk.open(store);
    const lie = "Book o-1 for 5\\nparameters  {\\u0022sum\\u0022:5}\\u001b[2K";
    await deployOrders(desk.host, [], ["shop.post"], changed(/`Book order .*`/, `"${lie}"`));
    await desk.publish("o-1", 82_000);
    const attentionId = await asked(desk, "o-1");
    await desk.crash();
    const { note } = await desk.question("approval");
    expect(note).toMatch(/^shop\.post on /);
    const cards = [
      await desk.say("approve", "orders", attentionId, "--show"),
      await desk.say("attention", "show", "orders", attentionId),
    ];
    for (const card of cards) {
      const lines = card.split("\n").filter((line) => line.includes("Book o-1 for 5"));
      expect(lines).toEqual([expect.stringMatching(/^ *the script calls it .*sum.*:5/)]);
      expect(card).toMatch(/^ *(?:parameters|with) .*"body":\{"id":"o-1","sum":82000\}/m);
      expect(card).not.toMatch(/^ *(?:parameters|with) .*:5\}/m);
      expect(card).not.toContain("\u001b");
    }
    expect(desk.sums).toEqual([]);
    expect(await desk.say("approve", "orders", attentionId)).toMatch(/^0 /);
    await desk.booked(82_000);
    await endsSound(desk, store);
  });
});

/** Goes to another path, to another account, or reads there, if the order is called that. */
function wandering(): string {
  const both = `connections: { spare: { connector: "http", account: "spare" }, `;
  const looks = `if (!event) return { reservations: [], data: {} };
        if (event.messageId === "look") await ctx.spare.get({ path: "/orders" });`;
  const goes = `const call = { path: id === "refund" ? "/refund" : "/orders", body: { id, sum } };
        if (id === "spare") await ctx.spare.post(call);
        else await ctx.shop.post(call);`;
  const text = changed("if (!event) return { reservations: [], data: {} };", looks);
  return changed("connections: { ", both, changed(/await ctx\.shop\.post\(.*\);/, goes, text));
}

/** All that is there is one order. */
function inBatches(): string {
  const prepare = `prepare: async (ctx) => {
        const events = await ctx.peek("order.received", { limit: 10 });
        const ids = events.map((event) => event.messageId);
        const sum = events.reduce((all, event) => all + event.payload.sum, 0);
        if (ids.length === 0) return { reservations: [], data: {} };
        return {
          reservations: [{ topic: "order.received", ids }],
          data: { id: ids.join("+"), sum },
        };
      },
      `;
  return changed(/prepare: .*(?=mutate: )/s, prepare);
}

async function skipsOneOfBatch(desk: Desk): Promise<void> {
  await desk.say("workflow", "pause", "orders");
  await desk.publish("c", 10);
  await desk.publish("d", 20);
  await desk.publish("e", 40);
  await desk.say("workflow", "resume", "orders");
  const aboutAll = await asked(desk, "c+d+e");
  await desk.crash();
  expect(await skipInput(desk, "d")).toMatch(/^0 1 skipped/);
  const aboutRest = await asked(desk, "c+e");
  expect(await desk.say("approve", "orders", aboutAll)).toMatch(/^3 .*COMMAND_REFUSED/s);
  expect(desk.shop.heard).toEqual([]);
  expect(await desk.say("approve", "orders", aboutRest)).toMatch(/^0 /);
  await becomes(desk, "c", "consumed");
  await becomes(desk, "e", "consumed");
  await becomes(desk, "d", "skipped");
  expect(await skipInput(desk, "c")).toMatch(/^3 .*COMMAND_REFUSED.*has been processed/s);
  expect(desk.sums).toEqual([50]);
}

/** It is held, and its call was sent: there is nothing to take out any more. */
async function leavesWhatMayHaveHappened(desk: Desk): Promise<void> {
  desk.shop.mood = "drops the answer";
  await desk.publish("f", 100);
  await desk.say("approve", "orders", await asked(desk, "f"));
  const { attentionId } = await desk.question("outcome_unknown");
  await desk.crash();
  expect(await skipInput(desk, "f")).toMatch(/^3 .*COMMAND_REFUSED.*is being changed/s);
  const result = JSON.stringify({ status: 200, body: { number: 2 } });
  const happened = ["answer", "orders", attentionId, "happened", "--result", result];
  expect(await desk.say(...happened)).toMatch(/^0 /);
  await becomes(desk, "f", "consumed");
  expect(desk.sums).toEqual([50, 100]);
}

async function becomes(desk: Desk, id: string, status: string): Promise<void> {
  await expect.poll(() => statusOf(desk, id), patience).toBe(status);
}
