import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { policyDefaults, type Store } from "@holdfast/core";
import { Engine, traceOf, WorkflowOwner } from "@holdfast/host";
import { Sandbox } from "@holdfast/sandbox";
import { openMemoryStore } from "@holdfast/store/memory";
import { openSqliteStore } from "@holdfast/store/sqlite";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { type OpenStore, openStores } from "./open-stores.ts";
import { Fails, ScriptedWorld } from "./scripted-world.ts";
import { WorkflowInTest } from "./workflow-in-test.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await Sandbox.open({ threadsMax: 2 });
});
afterAll(() => sandbox?.close());

let list: () => unknown;
let world: ScriptedWorld;

beforeEach(() => {
  list = () => [{ id: "a", card: "4111" }];
  world = new ScriptedWorld({
    shop: {
      listOrders: { kind: "read:list", answer: () => list() },
      findPrice: { kind: "read:byId", answer: () => ({ price: 7, token: "t0ken" }) },
      bookOrder: { kind: "mutation", answer: () => ({ number: 1 }) },
    },
  });
});

type Handlers = { readonly prepare?: string; readonly mutate?: string; readonly next?: string };

const source = ({ prepare = "", mutate = "", next = "" }: Handlers = {}) => `
  import { workflow } from "@holdfast/sdk";
  export default workflow({
    name: "orders",
    connections: { shop: { connector: "http", account: "shop" } },
    topics: { "order.received": {} },
    producers: {
      poll: {
        publishes: ["order.received"],
        schedule: { interval: "5m" },
        handler: async (ctx, state) => {
          await ctx.kv.get("last");
          for (const order of await ctx.shop.listOrders({ since: 1, key: "k3y" })) {
            await ctx.publish("order.received", { messageId: order.id, ...order });
          }
          await ctx.kv.set("last", "kept-in-kv");
          return { mark: "kept-in-state" };
        },
      },
    },
    consumers: {
      book: {
        subscribe: ["order.received"],
        prepare: async (ctx) => {
          const [event] = await ctx.peek("order.received", { limit: 1 });
          if (!event) return { reservations: [], data: {} };
          ctx.log("taking", event.messageId);
          const price = await ctx.shop.findPrice({ id: event.messageId });
          ${prepare}
          return {
            reservations: [{ topic: "order.received", ids: [event.messageId] }],
            data: { id: event.messageId, price },
          };
        },
        mutate: async (ctx, prepared) => {
          ${mutate}
          await ctx.shop.bookOrder({ id: prepared.data.id });
        },
        next: async (ctx, prepared, result) => { ${next} },
      },
    },
  });`;

const secretsOf = (name: string) =>
  name === "shop.listOrders"
    ? { params: ["key"], result: ["*.card"] }
    : { params: [], result: ["token"] };

let openStore: OpenStore;

async function create(handlers?: Handlers): Promise<WorkflowInTest> {
  const clock = { now: 1_700_000_000_000 };
  const store = await openStore(() => clock.now);
  return WorkflowInTest.create({ store, sandbox, world, clock, secretsOf }, source(handlers));
}

const throwing = 'throw new Error("no price");';

describe.each(Object.entries(openStores))("the trace of a run, on %s,", (_store, open) => {
  beforeEach(() => {
    openStore = open;
  });

  test("[R35] [B12] has the calls and lines of a prepare that failed", async () => {
    const it = await create({ prepare: throwing });
    await it.live();
    const [report] = await it.traces("book");
    expect(report).toMatchObject({
      handler: "book",
      status: "failed:logic",
      failure: { location: "book prepare" },
      unreadCount: 0,
      next: null,
    });
    const [phase, ...others] = report?.phases ?? [];
    expect(others).toEqual([]);
    expect(phase).toMatchObject({
      phase: "prepare",
      ended: "failed",
      failure: { code: "SCRIPT_THREW", message: expect.stringContaining("no price") },
      logs: [{ text: expect.stringContaining("taking") }],
      calls: [
        { name: "ctx.peek", kind: "context", stopped: false },
        { name: "shop.findPrice", params: { id: "a" }, result: { price: 7 }, stopped: false },
      ],
      logsLeftOut: 0,
      callsLeftOut: 0,
    });
    for (const { durationMs, afterMs } of phase?.calls ?? []) {
      expect(durationMs).toBeGreaterThanOrEqual(0);
      expect(afterMs).toBeGreaterThanOrEqual(0);
    }
    await it.expectSound();
  });

  test("[R35] is there for a phase that did nothing but fail", async () => {
    const it = await create();
    await it.deploy(source().replace("const [event]", "return 7; const [event]"));
    await it.live();
    const [report] = await it.traces("book");
    expect(report?.failure?.message).toContain("has to return an object");
    expect(report?.phases).toMatchObject([{ phase: "prepare", ended: "returned", calls: [] }]);
  });

  test("[R35] has what came before a reservation that is refused", async () => {
    const it = await create({ prepare: 'event.messageId = "x";' });
    await it.live();
    const [report] = await it.traces("book");
    expect(report).toMatchObject({ status: "failed:logic", events: [] });
    expect(report?.phases[0]?.calls.map(({ name }) => name)).toEqual([
      "ctx.peek",
      "shop.findPrice",
    ]);
  });

  test("[R35] has prepare and the mutate that failed after it, in order", async () => {
    const it = await create({ mutate: throwing });
    await it.live();
    const [report] = await it.traces("book");
    expect(report?.phases.map(({ phase, ended }) => [phase, ended])).toEqual([
      ["prepare", "returned"],
      ["mutate", "failed"],
    ]);
  });

  test("[R113] [S10] [S11] is each run's own when a failed next is tried again", async () => {
    const next = `if (result.status === "applied") { ctx.log("booked"); ${throwing} }`;
    const it = await create({ next });
    await it.live();
    await it.deploy(source({ next: 'ctx.log("booked at last");' }));
    await it.live();
    const [failed, retried] = await it.traces("book");
    expect(failed).toMatchObject({
      status: "failed:logic",
      supersededBy: retried?.runId,
      events: [{ topic: "order.received", messageId: "a" }],
      mutationId: expect.any(String),
    });
    expect(failed?.phases.map(({ phase, ended }) => [phase, ended])).toEqual([
      ["prepare", "returned"],
      ["next", "failed"],
    ]);
    expect(retried).toMatchObject({ status: "committed", retryOf: failed?.runId });
    expect(retried?.phases).toMatchObject([
      { phase: "next", ended: "returned", logs: [{ text: expect.stringContaining("at last") }] },
    ]);
    await it.expectSound();
  });

  test("[R113] says what the outside answered each time the run had to wait", async () => {
    const it = await create();
    let failures = 2;
    list = () => {
      if (failures-- > 0) throw new Fails("transient", "not now");
      return [];
    };
    for (let round = 0; round < 4; round++) {
      await it.live();
      it.now += policyDefaults.transientDelayMs * 8;
    }
    const [report] = await it.traces("poll");
    expect(report?.phases.map(({ ended, failure }) => [ended, failure?.message])).toEqual([
      ["stopped", "not now"],
      ["stopped", "not now"],
      ["returned", undefined],
    ]);
    expect(report?.phases[0]?.calls.at(-1)).toMatchObject({
      name: "shop.listOrders",
      stopped: true,
    });
    expect(report?.phases[0]?.calls.at(-1)).not.toHaveProperty("result");
  });

  test("[R148] shows no secret, no state and nothing that a producer keeps", async () => {
    const it = await create();
    await it.live();
    it.now += 300_000;
    await it.live();
    const reports = await it.traces("poll");
    expect(reports).toHaveLength(2);
    const kept = reports[1]?.phases[0]?.calls[0];
    expect(kept).toMatchObject({ name: "ctx.kv.get", result: { $bytes: 12 } });
    expect(reports[1]?.phases[0]?.calls[1]).toMatchObject({ params: { key: "[hidden]" } });
    const shown = JSON.stringify([reports, await it.traces("book")]);
    for (const secret of ["k3y", "t0ken", "kept-in-kv", "kept-in-state"]) {
      expect(shown).not.toContain(secret);
    }
  });

  test("[R35] costs one row for a run that works, however many phases and calls", async () => {
    const it = await create();
    await it.live();
    const traces = await it.store.readTraces(it.workflow, 0, 100);
    const runIds = traces.map(({ runId }) => runId);
    expect(new Set(runIds).size).toBe(runIds.length);
    expect(await it.traces("book")).toMatchObject([
      { status: "committed", phases: [{ phase: "prepare" }] },
      { status: "committed", phases: [{ phase: "prepare" }] },
    ]);
  });

  test("is not there for a run that is not there", async () => {
    const it = await create();
    await it.live();
    expect(await traceOf(it.store, { workflow: it.workflow, runId: "r999" })).toBeNull();
    expect(await traceOf(it.store, { workflow: it.workflow, runId: "nobody" })).toBeNull();
  });

  test("[R35] is forgotten after its time, and nothing else with it", async () => {
    const it = await create({ prepare: throwing });
    await it.live();
    it.now += policyDefaults.traceKeptMs - 1;
    await runEngine(it);
    expect((await it.traces("book"))[0]?.phases).toHaveLength(1);
    it.now += 2;
    await runEngine(it);
    const [report] = await it.traces("book");
    expect(report).toMatchObject({ status: "failed:logic", phases: [] });
    await it.expectSound();
  });
});

/** Takes the workflow once and stops. */
async function runEngine(it: WorkflowInTest): Promise<void> {
  let isPruned = false;
  const watched = new Proxy(it.store, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      return (...given: unknown[]) => {
        if (name === "pruneTraces") isPruned = true;
        return member.apply(target, given) as unknown;
      };
    },
  });
  await it.command("pause_workflow", {});
  const engine = await Engine.start({
    store: watched,
    incarnation: `engine-${it.now}`,
    leaseMs: 60_000,
    capacity: 1,
    scripts: { load: () => Promise.reject(new Error("nothing is to be run")) },
    outside: () => world,
    clock: { now: () => it.now },
    monotonic: { monotonicMs: () => 0 },
    timers: { setTimer: () => () => {} },
    random: () => 0.5,
  });
  await expect.poll(() => isPruned, { timeout: 20_000, interval: 5 }).toBe(true);
  await engine.stop();
}

test("[R35] [R113] a trace is there after the host was stopped and started again", async () => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-trace-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const clock = { now: 1_700_000_000_000 };
  const options = { folder, clock: () => clock.now, newIncarnation: () => "store" };
  const open = (): Promise<Store> => openSqliteStore(options);
  const first = await open();
  const parts = { store: first, sandbox, world, clock };
  const it = await WorkflowInTest.create(parts, source({ prepare: throwing }));
  await it.live();
  const [before] = await it.traces("book");
  await first.close();
  const store = await open();
  const runId = before?.runId ?? "";
  expect(await traceOf(store, { workflow: it.workflow, runId })).toEqual(before);
  await store.close();
});

test("[R35] a long trace is read page by page", async () => {
  openStore = async (clock) => openMemoryStore({ clock, newIncarnation: () => "store" });
  const it = await create();
  list = () => {
    throw new Fails("auth", "who are you?");
  };
  await it.live();
  const { store, workflow } = it;
  const [run] = await it.rows("runs");
  const runId = run?.runId ?? "";
  const text = (await store.readTraces(workflow, 0, 1))[0]?.text ?? "";
  const owner = new WorkflowOwner(store, await store.load(workflow, []));
  // Any facts will do: it is as if the run had been tried again and again.
  for (let count = 0; count < 150; count++) {
    const kind = count % 2 === 0 ? "pause_workflow" : "resume_workflow";
    await owner.execute([{ kind, actor: "ada" }], it.now, { runId, text: () => text });
  }
  const first = await traceOf(store, { workflow, runId });
  const second = await traceOf(store, { workflow, runId }, first?.next ?? 0);
  expect([first?.phases.length, second?.phases.length, second?.next]).toEqual([100, 51, null]);
});
