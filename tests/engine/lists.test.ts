import type { Store } from "@holdfast/core";
import {
  listEvents,
  listFacts,
  listInputs,
  listMutations,
  listOutputs,
  listRuns,
  listVerdicts,
  listVersions,
  readFacts,
  showEvent,
  showMutation,
  showRun,
  showTopic,
  showWorkflow,
} from "@holdfast/host";
import { Sandbox } from "@holdfast/sandbox";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openStores } from "./open-stores.ts";
import { ScriptedWorld } from "./scripted-world.ts";
import { WorkflowInTest } from "./workflow-in-test.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await Sandbox.open({ threadsMax: 2 });
});
afterAll(() => sandbox?.close());

const source = `
  import { workflow } from "@holdfast/sdk";
  export default workflow({
    name: "orders",
    connections: { shop: { connector: "http", account: "shop" } },
    topics: { received: {}, booked: { observed: true } },
    producers: {
      poll: {
        publishes: ["received"],
        schedule: { interval: "5m" },
        handler: async (ctx) => {
          for (const id of await ctx.shop.listOrders({})) {
            await ctx.publish("received", { messageId: id, title: "Order " + id });
          }
        },
      },
    },
    consumers: {
      book: {
        subscribe: ["received"],
        publishes: ["booked"],
        prepare: async (ctx) => {
          const [event] = await ctx.peek("received", { limit: 1 });
          if (!event) return { reservations: [], data: {} };
          const reservations = [{ topic: "received", ids: [event.messageId] }];
          const title = "Book " + event.messageId;
          return { reservations, data: { id: event.messageId }, ui: { title } };
        },
        mutate: async (ctx, prepared) => { await ctx.shop.bookOrder({ id: prepared.data.id }); },
        next: async (ctx, prepared, result) => {
          if (result.status !== "applied") return undefined;
          await ctx.publish("booked", { messageId: prepared.data.id, title: "Booked" });
        },
      },
    },
  });`;

const first = { after: null, limit: 100 };

/** Two rounds of the producer, five minutes apart, with two orders each. */
async function twoRounds(open: (typeof openStores)[keyof typeof openStores]) {
  let round = ["a", "b"];
  const world = new ScriptedWorld({
    shop: {
      listOrders: { kind: "read:list", answer: () => round },
      bookOrder: { kind: "mutation", answer: ({ id }) => ({ number: `B-${id}` }) },
    },
  });
  const clock = { now: 1_700_000_000_000 };
  const store = await open(() => clock.now);
  const it = await WorkflowInTest.create({ store, sandbox, world, clock }, source);
  await it.live();
  const between = clock.now + 60_000;
  round = ["c", "d"];
  clock.now += 300_000;
  await it.live();
  return { it, store, workflow: it.workflow, between };
}

const idsOf = (items: readonly { readonly messageId: string }[]) => items.map((e) => e.messageId);

async function expectTimes(store: Store, workflow: string, between: number): Promise<void> {
  const [before, after] = [
    { ...first, to: between },
    { ...first, from: between },
  ];
  const events = { topic: "received", status: null };
  expect(idsOf((await listEvents(store, workflow, { ...after, ...events })).items)).toEqual([
    "d",
    "c",
  ]);
  expect(idsOf((await listEvents(store, workflow, { ...before, ...events })).items)).toEqual([
    "b",
    "a",
  ]);
  for (const [times, wanted] of [
    [before, ["a", "b"]],
    [after, ["c", "d"]],
  ] as const) {
    const inputs = await listInputs(store, workflow, { ...times, status: null }, between);
    expect(inputs.items.map(({ externalId }) => externalId).sort()).toEqual(
      wanted.map((id) => `received/${id}`),
    );
    const runs = await listRuns(store, workflow, { ...times, status: null, handler: "book" });
    const titles = runs.items.flatMap(({ title }) => title ?? []);
    expect(titles.sort()).toEqual(wanted.map((id) => `Book ${id}`));
    const calls = await listMutations(store, workflow, { ...times, state: null });
    expect(calls.items).toHaveLength(2);
    const seen = await listOutputs(store, workflow, { ...times, kind: "event" });
    expect(seen.items).toHaveLength(2);
  }
}

describe.each(Object.entries(openStores))("lists on %s", (_store, open) => {
  test("[R59] are narrowed by time, text and status, and pages leave nothing out", async () => {
    const { store, workflow, between } = await twoRounds(open);
    await expectTimes(store, workflow, between);
    const all = { topic: null, status: null };
    const wanted = (await listEvents(store, workflow, { ...first, ...all })).items;
    expect(wanted).toHaveLength(8);
    const paged: (typeof wanted)[number][] = [];
    for (let after: string | null = null; ; ) {
      const page = await listEvents(store, workflow, { after, limit: 3, ...all });
      paged.push(...page.items);
      if (page.next === null) break;
      after = page.next;
    }
    expect(paged).toEqual(wanted);
    const named = await listEvents(store, workflow, { ...first, ...all, text: "ORDER B" });
    expect(idsOf(named.items)).toEqual(["b"]);
    const none = await listEvents(store, workflow, { ...first, topic: null, status: "pending" });
    expect(none.items).toEqual([]);
    const found = await listRuns(store, workflow, { ...first, status: null, text: "book c" });
    expect(found.items.map(({ title }) => title)).toEqual(["Book c"]);
    const bad = await listRuns(store, workflow, { ...first, status: "failed:logic" });
    expect(bad.items).toEqual([]);
    const applied = await listMutations(store, workflow, { ...first, state: "applied" });
    expect(applied.items).toHaveLength(4);
    expect((await listMutations(store, workflow, { ...first, state: "failed" })).items).toEqual([]);
  });

  test("[R18] [R127] one thing of each, versions, facts and who asked for what", async () => {
    const { it, store, workflow } = await twoRounds(open);
    const [run] = (await listRuns(store, workflow, { ...first, status: null, text: "book d" }))
      .items;
    const shown = await showRun(store, workflow, run?.runId ?? "");
    expect(shown).toMatchObject({
      title: "Book d",
      events: [{ topic: "received", messageId: "d", isHeld: false }],
      inputs: [{ externalId: "received/d", title: "Order d" }],
      calls: [{ state: "applied", params: { id: "d" } }],
    });
    const call = await showMutation(store, workflow, shown?.calls[0]?.mutationId ?? "");
    expect(call).toEqual(shown?.calls[0]);
    const event = { topic: "received", messageId: "d" };
    expect(await showEvent(store, workflow, event)).toMatchObject({ status: "consumed" });
    expect(await showTopic(store, workflow, "received")).toMatchObject({
      subscriber: "book",
      pending: { count: 0, isMore: false },
    });
    expect(await showWorkflow(store, workflow, it.now)).toMatchObject({
      status: "active",
      openQuestions: 0,
      pending: { count: 0, isMore: false },
      topics: [{ topic: "booked" }, { topic: "received" }],
      handlers: [{ handler: "book" }, { handler: "poll" }],
    });
    const nothing = [
      await showRun(store, workflow, "r9999"),
      await showMutation(store, workflow, "m9999"),
      await showEvent(store, workflow, { topic: "received", messageId: "none" }),
      await showTopic(store, workflow, "none"),
      await showWorkflow(store, "nobody", it.now),
    ];
    expect(nothing).toEqual([null, null, null, null, null]);
    const { items, next, head } = await readFacts(store, workflow, { after: null, limit: 5 });
    expect(items.map(({ seq }) => seq)).toEqual([4, 3, 2, 1, 0].map((back) => head - back));
    expect(next).toBe(head);
    const whole = await readFacts(store, workflow, { after: 0, limit: 500 });
    expect(JSON.stringify(whole)).not.toContain("providerKey");
    const runs = await listFacts(store, workflow, { ...first, kind: "run_", text: "book" });
    const kinds = new Set(runs.items.map(({ kind }) => kind));
    expect([...kinds].sort()).toEqual(["run_committed", "run_prepared", "run_started"]);
    const back: number[] = [];
    for (let after: string | null = null; ; ) {
      const page = await listFacts(store, workflow, { after, limit: 7 });
      back.push(...page.items.map(({ seq }) => seq));
      if (page.next === null) break;
      after = page.next;
    }
    expect(back).toEqual(whole.items.map(({ seq }) => seq).reverse());
    const none = await listFacts(store, workflow, { ...first, from: it.now + 1 });
    expect(none.items).toEqual([]);
    const asked = await listVerdicts(store, workflow, { ...first, accepted: null });
    const versions = await listVersions(store, workflow, first);
    expect(versions.items.length).toBe(
      asked.items.filter(({ kind }) => kind === "activate_version").length,
    );
  });
});
