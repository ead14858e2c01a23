import {
  type AttentionRow,
  actorOfHost,
  encodeCanonical,
  isAboutStale,
  policyDefaults,
  type Store,
} from "@holdfast/core";
import { findQuestion, listInputs, StaleSweep } from "@holdfast/host";
import { VirtualTime } from "@holdfast/host/testing";
import { openMemoryStore } from "@holdfast/store/memory";
import { describe, expect, test } from "vitest";
import { ask, prepareScript, publishOrder, startEngine } from "./engine-in-test.ts";
import { openStores } from "./open-stores.ts";
import { OrderShop, sandboxOfFile } from "./order-shop.ts";
import type { WorkflowInTest } from "./workflow-in-test.ts";

const sandbox = sandboxOfFile();
const dayMs = 86_400_000;
const hourMs = 3_600_000;
const soonMs = 300_000;
const topic = "order.received";

/** Waits for pushes; and has a topic that nobody works off. */
const hookSource = `
  import { workflow } from "@holdfast/sdk";
  export default workflow({
    name: "orders",
    topics: { left: {}, seen: { observed: true } },
    producers: {
      hook: { publishes: ["seen"], webhook: { secret: "shop" }, handler: async () => {} },
    },
  });`;

const silentSource = `
  import { workflow } from "@holdfast/sdk";
  export default workflow({
    name: "orders",
    topics: { seen: { observed: true } },
    producers: {
      poll: {
        publishes: ["seen"],
        schedule: { interval: "5m" },
        handler: async (ctx) => {
          await ctx.registerInput({ source: "system", type: "time", id: "1", title: "Mail 1" });
        },
      },
    },
  });`;

function sweepOf(it: WorkflowInTest, { host = "h-1", store = it.store as Store } = {}): StaleSweep {
  return new StaleSweep({
    store,
    incarnation: host,
    clock: { now: () => it.now },
    timers: it.timers,
    policy: it.policy,
    policyOf: () => it.policy,
    mayAct: () => true,
    onTrouble: (cause) => {
      throw cause;
    },
  });
}

/** A host looks, and the owner hears of what it saw. */
async function look(it: WorkflowInTest, host?: string): Promise<void> {
  await sweepOf(it, host === undefined ? {} : { host }).sweep();
  await it.live();
}

async function asked(it: WorkflowInTest): Promise<readonly AttentionRow[]> {
  const rows = (await it.rows("attentions")).filter(isAboutStale);
  return rows.toSorted((one, other) => one.openedAt - other.openedAt);
}

async function order(it: WorkflowInTest, id: string): Promise<string> {
  const payload = encodeCanonical({ sum: 1 });
  await it.ask("publish_event", { topic, messageId: id, payload, title: `Order ${id}` });
  const event = (await it.rows("events")).find(({ messageId }) => messageId === id);
  return event?.causedBy[0] ?? "";
}

async function said(it: WorkflowInTest): Promise<readonly string[]> {
  const verdicts = await it.rows("verdicts");
  return verdicts.filter(({ kind }) => kind === "note_stale").map(({ commandId }) => commandId);
}

describe.each(Object.entries(openStores))("stale inputs, on %s", (_, store) => {
  /** Paused, so that nothing is worked off. */
  async function paused(): Promise<{ readonly it: WorkflowInTest; readonly shop: OrderShop }> {
    const shop = new OrderShop();
    shop.orders = [];
    const it = await shop.open(sandbox(), { store });
    await it.ask("pause_workflow", {});
    return { it, shop };
  }

  test("[R23, S57] are one question about the oldest, which closes itself in the end", async () => {
    const { it, shop } = await paused();
    const first = await order(it, "a");
    it.now += hourMs;
    const second = await order(it, "b");
    it.now += policyDefaults.staleInputMs - hourMs;
    await look(it);
    // Not a moment too early.
    expect(await asked(it)).toEqual([]);
    it.now += hourMs + 1;
    await look(it);
    const [question] = await asked(it);
    expect(question).toMatchObject({ subject: first, closedAt: null, answers: ["acknowledge"] });
    expect(question?.note).toContain("2 inputs have waited for more than 7 days");
    expect(question?.note).toContain(`holdfast why orders ${first}`);
    const shown = await findQuestion(it.store, it.workflow, question?.attentionId ?? "");
    expect(shown?.inputs.map(({ inputId }) => inputId)).toEqual([first]);
    expect([shown?.why, Object.keys(shown?.does ?? {})]).toEqual([
      expect.stringContaining("not worked off for a long time"),
      ["acknowledge"],
    ]);
    for (const host of ["h-1", "h-2"]) await look(it, host);
    it.now += hourMs;
    await look(it);
    expect([(await asked(it)).length, (await said(it)).length]).toEqual([1, 1]);
    await it.ask("skip_event", { topic, messageId: "a" });
    await look(it);
    const [closed, next, ...more] = await asked(it);
    expect(closed).toMatchObject({ closedBy: "host", answer: "not_stale" });
    expect([next?.subject, next?.closedAt, more]).toEqual([second, null, []]);
    expect(next?.note).toContain("It has waited");
    await it.ask("resume_workflow", {});
    expect(shop.booked).toEqual(["b"]);
    await look(it);
    expect((await asked(it)).map(({ answer }) => answer)).toEqual(["not_stale", "not_stale"]);
    const noted = (await said(it)).length;
    await look(it);
    expect(await said(it)).toHaveLength(noted);
    await it.expectSound();
  });

  test("[R23] are not asked about again once a person has taken note of the oldest", async () => {
    const { it } = await paused();
    const inputId = await order(it, "a");
    it.now += 8 * dayMs;
    await look(it);
    const { attentionId = "" } = (await asked(it))[0] ?? {};
    expect(await it.ask("acknowledge", { attentionId })).toBe("done");
    for (const host of ["h-1", "h-2", "h-3"]) {
      it.now += dayMs;
      await look(it, host);
    }
    expect(await asked(it)).toMatchObject([{ closedBy: "ada", answer: "acknowledge" }]);
    expect(await said(it)).toHaveLength(1);
    // To do it again is a new attempt, which may stand still as well.
    await it.ask("skip_event", { topic, messageId: "a" });
    await it.ask("reprocess_input", { inputId });
    await look(it);
    expect((await asked(it)).map(({ subject, closedAt }) => [subject, closedAt])).toEqual([
      [inputId, expect.any(Number)],
      [inputId, null],
    ]);
    expect(await it.ask("skip_input", { inputId })).toBe("done");
    expect((await asked(it)).at(-1)).toMatchObject({ closedBy: "ada", answer: "skip" });
    await it.expectSound();
  });

  test("[R158] are told of once by two hosts that look at the same time", async () => {
    const { it } = await paused();
    await order(it, "a");
    it.now += 8 * dayMs;
    const counted = sweepOf(it, { host: "h-2", store: countsMore(it.store) });
    await Promise.all([sweepOf(it).sweep(), counted.sweep()]);
    await it.live();
    expect([(await said(it)).length, (await asked(it)).length]).toEqual([1, 1]);
    await it.expectSound();
  });

  test("[R23] are asked about later if the owner did not find them so at first", async () => {
    const { it } = await paused();
    const inputId = await order(it, "a");
    it.now += 8 * dayMs;
    await sweepOf(it).sweep();
    // The owner's policy is another one until it is started anew.
    it.policy = { ...policyDefaults, staleInputMs: 30 * dayMs };
    await it.live();
    expect([await asked(it), (await said(it)).length]).toEqual([[], 1]);
    it.policy = policyDefaults;
    await look(it);
    expect(await asked(it)).toMatchObject([{ subject: inputId, closedAt: null }]);
  });

  test("[R23] of an archived workflow are nobody's matter until it is restored", async () => {
    const { it } = await paused();
    await order(it, "a");
    await it.ask("archive_workflow", {});
    it.now += 8 * dayMs;
    await look(it);
    expect([await asked(it), await said(it)]).toEqual([[], []]);
    await it.ask("restore_workflow", {});
    await look(it);
    expect(await asked(it)).toHaveLength(1);
  });

  test("[R23] are found behind whatever was done since", async () => {
    const { it } = await paused();
    const inputId = await order(it, "old");
    it.now += hourMs;
    for (let each = 0; each < 3; each++) {
      await order(it, `new-${each}`);
      await it.ask("skip_event", { topic, messageId: `new-${each}` });
    }
    it.now += 8 * dayMs;
    await sweepOf(it, { store: listsFew(it.store) }).sweep();
    await it.live();
    expect(await asked(it)).toMatchObject([{ subject: inputId }]);
    const query = { after: null, limit: 10, status: "pending" } as const;
    const { items } = await listInputs(it.store, it.workflow, query, it.now);
    expect(items.filter(({ isStale }) => isStale).map((each) => each.inputId)).toEqual([inputId]);
  });

  test("[R23] are found among pushes that wait, and where nobody subscribes", async () => {
    const shop = new OrderShop();
    const it = await shop.open(sandbox(), { store, source: hookSource });
    await it.ask("pause_workflow", {});
    const body = new TextEncoder().encode("{}");
    await it.ask("receive_delivery", { handler: "hook", deliveryId: "p", body, title: null });
    it.now += hourMs;
    const payload = encodeCanonical({});
    await it.ask("publish_event", { topic: "left", messageId: "l", payload, title: null });
    it.now += 8 * dayMs;
    const sweep = sweepOf(it, { store: listsFew(it.store, 1) });
    await sweep.sweep();
    await it.live();
    const [{ inputId = "" } = {}] = await it.rows("deliveries");
    expect(await asked(it)).toMatchObject([{ subject: inputId }]);
    expect((await asked(it))[0]?.note).toContain("2 inputs have waited");
    expect(await it.ask("skip_input", { inputId })).toBe("done");
    await sweep.sweep();
    await it.live();
    const [left] = await it.rows("events");
    expect((await asked(it)).at(-1)).toMatchObject({ subject: left?.causedBy[0], closedAt: null });
    await it.expectSound();
  });

  test("[R23] are found where a script took something in and made nothing of it", async () => {
    const shop = new OrderShop();
    const it = await shop.open(sandbox(), { store, source: silentSource });
    await it.live();
    it.now += 8 * dayMs;
    await look(it);
    const [input] = await it.rows("inputs");
    expect([await it.rows("events"), input?.title]).toEqual([[], "Mail 1"]);
    expect(await asked(it)).toMatchObject([{ subject: input?.inputId }]);
    // As long as it is asked about, it is looked at, however much has come in since.
    await sweepOf(it, { store: listsFew(it.store, 0) }).sweep();
    await it.live();
    expect(await asked(it)).toMatchObject([{ closedAt: null }]);
  });

  test("[R161] are said by hosts only: a person who says so is refused", async () => {
    const { it } = await paused();
    const inputId = await order(it, "a");
    it.now += 8 * dayMs;
    const body = { inputId, count: 1, isMore: false };
    expect(await it.ask("note_stale", body)).toBe("command_malformed");
    it.actor = actorOfHost("h-1");
    expect(await it.ask("note_stale", body)).toBe("done");
    expect(await asked(it)).toHaveLength(1);
  });
});

/** As if another host had counted more of them. */
function countsMore(store: Store): Store {
  return changed(store, "appendCommand", (command: Parameters<Store["appendCommand"]>[0]) => {
    const { inputId } = { inputId: command.commandId.split(" ")[1] ?? "" };
    const body = encodeCanonical({ inputId, count: 7, isMore: true });
    return store.appendCommand({ ...command, body });
  });
}

/** The list of what came in says nothing of what is older. */
function listsFew(store: Store, limit = 2): Store {
  return changed(store, "listRows", async (query: Parameters<Store["listRows"]>[0]) =>
    limit === 0 ? [] : store.listRows({ ...query, limit }),
  );
}

function changed(store: Store, name: keyof Store, way: (given: never) => unknown): Store {
  return new Proxy(store, {
    get: (target, each) => {
      const member: unknown = each === name ? way : Reflect.get(target, each, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}

test("[R23] of a long backlog as many are counted as were looked at", async () => {
  const backlog = async (way: (store: Store) => Store) => {
    const it = await new OrderShop().open(sandbox(), { store: openStores.memory });
    await it.ask("pause_workflow", {});
    for (let each = 0; each < 300; each++) {
      const payload = encodeCanonical({});
      await it.command("publish_event", { topic, messageId: `m${each}`, payload, title: null });
    }
    await it.live();
    it.now += 8 * dayMs;
    await sweepOf(it, { store: way(it.store) }).sweep();
    await it.live();
    return (await asked(it))[0]?.note;
  };
  const peeked = await backlog((store) => listsFew(store, 1));
  expect(peeked).toMatch(/\. 20[01] or more inputs have waited/);
  const nothing = async () => ({ events: [], settledBelow: null });
  expect(await backlog((store) => changed(store, "peek", nothing))).toContain(
    "200 or more inputs have waited",
  );
});

test("[R23] a host looks by itself, soon and then every hour, and tells of it", async () => {
  const time = new VirtualTime();
  const process = time.startProcess();
  const now = () => 1_700_000_000_000 + time.now;
  const store = openMemoryStore({ clock: now, newIncarnation: () => "store" });
  const shop = new OrderShop();
  const deployed = await prepareScript(sandbox(), shop.world);
  await store.createWorkflow("orders");
  await ask(store, "orders", "activate_version", deployed.activation);
  await ask(store, "orders", "pause_workflow", {});
  await publishOrder(store, "orders", "a");
  const listed: number[] = [];
  let held = Promise.resolve();
  const watched = changed(store, "listWorkflows", async () => {
    listed.push(time.now);
    await held;
    return store.listWorkflows(null, 10);
  });
  const told: string[] = [];
  const engine = await startEngine(watched, shop.world, deployed, {
    clock: { now },
    monotonic: process.clock,
    timers: process.timers,
    policyOf: () => ({ ...policyDefaults, staleInputMs: 90 * 60_000 }),
    observer: { onQuestion: ({ attentionId }) => told.push(attentionId) },
  });
  await time.advance(2 * hourMs);
  expect([listed, told]).toEqual([[soonMs, soonMs + hourMs], []]);
  await time.advance(hourMs);
  expect([listed.at(-1), told.length]).toEqual([soonMs + 2 * hourMs, 1]);
  const { promise, resolve } = Promise.withResolvers<void>();
  held = promise;
  await time.advance(hourMs);
  let isStopped = false;
  const stopping = engine.stop().then(() => {
    isStopped = true;
  });
  await time.advance(1_000);
  // Whoever closes the store after that closes it on nobody.
  expect(isStopped).toBe(false);
  resolve();
  await stopping;
  await time.advance(2 * hourMs);
  expect(listed).toHaveLength(4);
});
