import { type ListQuery, policyDefaults, type Store } from "@holdfast/core";
import {
  findQuestion,
  listAttention,
  listInputs,
  listOutputs,
  listQuestions,
  listRuns,
  listWedges,
  type Why,
  whyOf,
} from "@holdfast/host";
import { Sandbox } from "@holdfast/sandbox";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type OpenStore, openStores } from "./open-stores.ts";
import { Fails, ScriptedWorld } from "./scripted-world.ts";
import { WorkflowInTest } from "./workflow-in-test.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await Sandbox.open({ threadsMax: 2 });
});
afterAll(() => sandbox?.close());

let book: (params: Readonly<Record<string, unknown>>) => unknown;
let world: ScriptedWorld;

beforeEach(() => {
  book = ({ id }) => ({ number: `B-${id}` });
  world = new ScriptedWorld({
    shop: {
      listOrders: { kind: "read:list", answer: () => ["a", "b", "c"] },
      bookOrder: { kind: "mutation", answer: (params) => book(params) },
    },
  });
});

const source = `
  import { workflow } from "@holdfast/sdk";
  export default workflow({
    name: "orders",
    connections: { shop: { connector: "http", account: "shop" } },
    topics: { "order.received": {}, "order.booked": { observed: true } },
    producers: {
      poll: {
        publishes: ["order.received"],
        schedule: { interval: "5m" },
        handler: async (ctx, state) => {
          if (state) return state;
          await ctx.kv.set("kept", "secret of kv");
          for (const id of await ctx.shop.listOrders({})) {
            await ctx.publish("order.received", { messageId: id, title: "Order " + id, id });
          }
          return { kept: "secret of state" };
        },
      },
    },
    consumers: {
      book: {
        subscribe: ["order.received"],
        publishes: ["order.booked"],
        prepare: async (ctx) => {
          const [event] = await ctx.peek("order.received", { limit: 1 });
          if (!event) return { reservations: [], data: {} };
          const reservations = [{ topic: "order.received", ids: [event.messageId] }];
          return { reservations, data: event.payload, ui: { title: "Book " + event.messageId } };
        },
        mutate: async (ctx, prepared) => { await ctx.shop.bookOrder({ id: prepared.data.id }); },
        next: async (ctx, prepared, result) => {
          if (result.status !== "applied") return undefined;
          await ctx.publish("order.booked", { messageId: prepared.data.id, title: "Booked" });
          return { kept: "secret of state" };
        },
      },
    },
  });`;

let openStore: OpenStore;
const first = { after: null, limit: 100 };
const all = { ...first, status: null };

async function create(): Promise<WorkflowInTest> {
  const clock = { now: 1_700_000_000_000 };
  const store = await openStore(() => clock.now);
  return WorkflowInTest.create({ store, sandbox, world, clock }, source);
}

async function why({ store, workflow, now }: WorkflowInTest, id: string): Promise<Why> {
  const answer = await whyOf(store, workflow, id, now);
  if (answer.kind !== "explained") throw new Error(JSON.stringify(answer));
  expect(JSON.parse(JSON.stringify(answer))).toEqual(answer);
  return answer.why;
}

const kindsOf = ({ because }: Why) => because.map(({ cause }) => cause.kind);

/** A booking whose answer never came. */
async function inDoubt(): Promise<WorkflowInTest> {
  const it = await create();
  book = () => {
    throw new Fails("indeterminate", "no answer");
  };
  await it.live();
  return it;
}

describe.each(Object.entries(openStores))("on %s", (_store, open) => {
  beforeEach(() => {
    openStore = open;
  });

  describe("a workflow that has done its work", () => {
    test("[R18] tells the story of every input, to the outputs it led to", async () => {
      const it = await create();
      await it.live();
      const { store, workflow, now } = it;
      const inputs = await listInputs(store, workflow, all, now);
      expect(inputs.next).toBeNull();
      expect(inputs.items.map(({ title }) => title).sort()).toEqual([
        "Order a",
        "Order b",
        "Order c",
      ]);
      for (const { status, isStale, events, outputsDone } of inputs.items) {
        expect([status, isStale, outputsDone]).toEqual(["done", false, 2]);
        expect(events).toEqual({ pending: 0, reserved: 0, consumed: 2, skipped: 0 });
      }
      const outputs = await listOutputs(store, workflow, { ...first, kind: null });
      expect(
        outputs.items.map(({ kind, title, inputs: by }) => [kind, title, by[0]?.title]),
      ).toEqual(
        ["c", "b", "a"].flatMap((id) => [
          ["event", "Booked", `Order ${id}`],
          ["mutation", `Book ${id}`, `Order ${id}`],
        ]),
      );
      const calls = await listOutputs(store, workflow, { ...first, kind: "mutation" });
      expect(calls.items.map(({ kind }) => kind)).toEqual(["mutation", "mutation", "mutation"]);
      expect(await listWedges(store, workflow, now)).toEqual([]);
    });

    test("[R59] [R18] says of everything by which run and with what it was done", async () => {
      const it = await create();
      await it.live();
      const told = await why(it, "order.received/a");
      expect([told.state, kindsOf(told)]).toEqual(["done", ["consumed"]]);
      expect(told.text).toMatch(/^Order a \(order\.received\) is done: run r\d+ consumed it at /);
      expect(told.event).toMatchObject({
        payload: { id: "a" },
        attempt: 1,
        inputs: [{ title: "Order a" }],
        runs: [{ status: "committed", attempt: 1, mutationState: "applied" }],
      });
      const { runId, mutationId } = told.event?.runs[0] ?? {};
      const run = await why(it, mutationId ?? "");
      expect(run.subject).toEqual({ kind: "run", runId });
      expect(run.run).toMatchObject({
        title: "Book a",
        events: [{ messageId: "a", isHeld: false }],
        inputs: [{ title: "Order a" }],
        calls: [{ operation: "shop.bookOrder", params: { id: "a" }, state: "applied" }],
      });
      const input = await why(it, told.event?.inputs[0]?.inputId ?? "");
      expect(input.input?.story.map(kindsOf)).toEqual([["consumed"], ["observed"]]);
      expect(input.input?.outputIds).toEqual([mutationId, "order.booked/a"]);
      const rests = await why(it, it.workflow);
      expect(rests.because).toMatchObject([{ cause: { kind: "nothing_to_do" } }]);
      expect(rests.workflow).toMatchObject({ version: "1.0", commandsWaiting: 0, owner: null });
    });

    test("[R148] tells nobody what its handlers keep", async () => {
      const it = await create();
      await it.live();
      const { store, workflow, now } = it;
      const states = (await it.rows("handlers")).flatMap(({ state }) => state?.inline ?? []);
      const values = (await it.rows("handler_kv")).flatMap(({ value }) => value.inline ?? []);
      const kept = [...states, ...values].map((bytes) => Buffer.from(bytes).toString());
      expect(kept.filter((text) => text.includes("secret of"))).toHaveLength(3);
      const runs = await listRuns(store, workflow, all);
      const answers: unknown[] = [
        runs,
        await listInputs(store, workflow, all, now),
        await listOutputs(store, workflow, { ...first, kind: null }),
        await listAttention(store, workflow, all),
        await why(it, workflow),
      ];
      for (const { runId } of runs.items) answers.push(await why(it, runId));
      expect(JSON.stringify(answers)).not.toContain("secret of");
    });

    test("is listed page by page, newest first, with nothing left out or told twice", async () => {
      const it = await create();
      await it.live();
      const { store, workflow } = it;
      const ids: string[] = [];
      for (let after: string | null = null; ; ) {
        const query = { after, limit: 2, status: "committed" } as const;
        const page: Awaited<ReturnType<typeof listRuns>> = await listRuns(store, workflow, query);
        ids.push(...page.items.map(({ runId }) => runId));
        if (page.next === null) break;
        expect(page.items).toHaveLength(2);
        after = page.next;
      }
      const known = (await it.rows("runs")).map(({ runId }) => Number(runId.slice(1)));
      expect(ids.map((id) => Number(id.slice(1)))).toEqual(known.sort((a, b) => b - a));
      const open = await listRuns(store, workflow, { ...first, status: "open" });
      expect(open).toEqual({ items: [], next: null });
    });

    test("answers ids that nobody or several things have, and a made-up page", async () => {
      const it = await create();
      await it.live();
      const { store, workflow, now } = it;
      for (const id of ["r999", "nobody", "", "order.received/", "\u0000", "a/b"]) {
        expect(await whyOf(store, workflow, id, now)).toEqual({ kind: "unknown_id", id });
      }
      const ids = expect.arrayContaining(["order.received/a", "order.booked/a"]);
      expect(await whyOf(store, workflow, "a", now)).toEqual({ kind: "ambiguous", ids });
      const madeUp = listRuns(store, workflow, { ...all, after: "yesterday" });
      await expect(madeUp).rejects.toThrow("CURSOR_UNKNOWN");
    });
  });

  describe("an outcome that nobody knows", () => {
    test("[R70] is put before a person with all that is needed to answer", async () => {
      const it = await inDoubt();
      const { store, workflow } = it;
      const page = await listAttention(store, workflow, { ...first, status: "open" });
      expect(page.items).toMatchObject([
        {
          kind: "outcome_unknown",
          note: expect.stringContaining("no answer"),
          answers: ["did_not_happen", "happened", "skip"],
          run: { title: "Book a", status: "paused:reconciliation" },
          call: {
            operation: "shop.bookOrder",
            target: "shop",
            params: { id: "a" },
            canReconcile: false,
            sendCount: 1,
            evidence: [{ says: "unknown", note: "no answer" }],
          },
          inputs: [{ title: "Order a" }],
          check: expect.stringContaining("shop.bookOrder"),
          why: expect.stringContaining("nothing that can be asked says"),
          verifiable: expect.stringContaining("only a person can find out"),
          does: { did_not_happen: expect.stringContaining("it happens twice") },
          waiting: { events: 2, isMore: false },
        },
      ]);
      expect(await listQuestions(store, first)).toEqual(page);
      const { attentionId = "", call } = page.items[0] ?? {};
      expect(kindsOf(await why(it, attentionId))).toEqual(["person_asked"]);
      const answer = { says: "happened", result: null };
      await it.command("resolve_mutation", { mutationId: call?.mutationId, answer });
      book = () => ({ number: 1 });
      await it.live();
      const closed = await listAttention(store, workflow, { ...first, status: "closed" });
      expect(closed.items).toMatchObject([{ closedBy: "ada", answer: "happened", waiting: null }]);
      expect(await findQuestion(store, workflow, attentionId)).toEqual(closed.items[0]);
      expect(await findQuestion(store, workflow, "a999")).toBeNull();
      expect((await listQuestions(store, first)).items).toEqual([]);
    });

    test("[R56] holds up its workflow, and everything behind it says so", async () => {
      const it = await inDoubt();
      expect(kindsOf(await why(it, "order.received/a"))).toEqual(["held_by_run", "person_asked"]);
      const behind = await why(it, "order.received/b");
      expect([behind.state, kindsOf(behind)]).toEqual(["waiting", ["behind_run", "person_asked"]]);
      expect(kindsOf(await why(it, it.workflow))).toEqual(["behind_run", "person_asked"]);
      expect(behind.text).toContain("a person has to answer");
    });

    test("[S57] [R23] makes its inputs stale in the end", async () => {
      const it = await inDoubt();
      const { store, workflow } = it;
      const isStale = async (now: number) => {
        const query = { ...first, status: "pending" } as const;
        const { items } = await listInputs(store, workflow, query, now);
        return items.map((item) => item.isStale);
      };
      expect(await isStale(it.now + policyDefaults.staleInputMs)).toEqual([false, false, false]);
      expect(await isStale(it.now + policyDefaults.staleInputMs + 1)).toEqual([true, true, true]);
    });

    test("[R122] [S56] leaves an input skipped in part, with what was done for it", async () => {
      const it = await inDoubt();
      const { store, workflow } = it;
      const pending = { ...first, status: "pending" } as const;
      const { items } = await listInputs(store, workflow, pending, it.now);
      const inputId = items.find(({ title }) => title === "Order b")?.inputId ?? "";
      await it.command("skip_input", { inputId });
      await it.live();
      const query = { ...first, status: "skipped" } as const;
      const skipped = await listInputs(store, workflow, query, it.now);
      expect(skipped.items).toMatchObject([
        { title: "Order b", outputsDone: 0, events: { skipped: 1, pending: 0 } },
      ]);
      const told = await why(it, inputId);
      expect(told.because).toMatchObject([{ cause: { kind: "skipped", by: { actor: "ada" } } }]);
      expect(kindsOf(await why(it, "order.received/b"))).toEqual(["skipped"]);
      expect((await listInputs(store, workflow, pending, it.now)).items).toHaveLength(2);
    });
  });

  test("[R59] a paused workflow says who paused it, and whether commands wait", async () => {
    const it = await create();
    await it.live();
    await it.command("pause_workflow", {});
    const waiting = await why(it, it.workflow);
    expect(waiting.because[0]?.cause).toEqual({ kind: "commands_waiting", count: 1 });
    expect(waiting.workflow?.commandsWaiting).toBe(1);
    await it.live();
    const paused = await why(it, it.workflow);
    const by = { actor: "ada", at: it.now };
    expect(paused.because.map(({ cause }) => cause)).toEqual([{ kind: "workflow_paused", by }]);
    expect(paused.text).toContain("paused by ada at 2023-");
  });

  test("what nothing was deployed for yet says so", async () => {
    const it = await create();
    expect(kindsOf(await why(it, it.workflow))).toEqual([
      "commands_waiting",
      "workflow_not_created",
    ]);
  });

  test("what goes on while it is being asked about is not taken for stuck", async () => {
    const it = await create();
    book = () => {
      throw new Fails("transient", "not now");
    };
    await it.live();
    expect(kindsOf(await why(it, "order.received/b"))).toEqual(["behind_run", "backing_off"]);
    book = () => ({ number: 1 });
    it.now += policyDefaults.transientDelayMsMax;
    const moved = movingBeforeLastLoad(it.store, () => it.live());
    const answer = await whyOf(moved, it.workflow, "order.received/b", it.now);
    expect(answer).toMatchObject({ kind: "explained", why: { state: "done" } });
  });

  describe("a wedge is reported:", () => {
    test("work is due, and no host comes", async () => {
      const it = await create();
      await it.live();
      const { dueAt } = (await why(it, it.workflow)).workflow ?? {};
      const late = (dueAt ?? 0) + policyDefaults.overdueMs;
      expect(await listWedges(it.store, it.workflow, late)).toEqual([]);
      const wedges = await listWedges(it.store, it.workflow, late + 1);
      expect(wedges).toMatchObject([{ kind: "overdue", id: "orders" }]);
    });

    test("[R136] [S32] a row says that an ended run holds an event", async () => {
      const it = await create();
      await it.live();
      const spoiled = withHeldEvent(it.store, "a");
      expect(await listWedges(it.store, it.workflow, it.now)).toEqual([]);
      expect(await listWedges(spoiled, it.workflow, it.now)).toMatchObject([
        { kind: "orphan_reservation", id: "order.received/a" },
      ]);
    });
  });
});

/** The same store, but for one row that no command leaves and no store keeps. */
function withHeldEvent(store: Store, held: string): Store {
  const listRows = async (query: ListQuery<"events">) => {
    const rows = await store.listRows(query);
    if ((query.list as string) !== "unsettledEvents") return rows;
    const all = await store.listRows({ ...query, list: "events" });
    const event = all.find((row) => row.topic === "order.received" && row.messageId === held);
    return event ? [...rows, { ...event, status: "reserved", reservedBy: "r1" }] : rows;
  };
  return withMethods(store, { listRows: listRows as Store["listRows"] });
}

/** Everything is done just before the rows are loaded that the answer is made of; once. */
function movingBeforeLastLoad(store: Store, move: () => Promise<unknown>): Store {
  let hasMoved = false;
  return withMethods(store, {
    load: async (workflow, needs) => {
      const isLast = needs.some(({ kind }) => kind === "oldest_pending");
      if (isLast && !hasMoved) {
        hasMoved = true;
        await move();
      }
      return store.load(workflow, needs);
    },
  });
}

function withMethods(store: Store, methods: Partial<Store>): Store {
  return new Proxy(store, {
    get: (target, name) => {
      if (name in methods) return Reflect.get(methods, name);
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
