import { encodeCanonical, policyDefaults, type Store } from "@holdfast/core";
import { cellIdOf, timerEffect } from "@holdfast/core/machine";
import {
  awaitSnapshot,
  listIntents,
  listRecords,
  type MachineSummary,
  recentOf,
  showCell,
  summarizeMachines,
  type TraceQuery,
  type TraceWaits,
  timelineOf,
  traceMachines,
} from "@holdfast/host";
import { Sandbox } from "@holdfast/sandbox";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MachineInTest, machine } from "./machine-in-test.ts";
import { openStores } from "./open-stores.ts";
import { Fails } from "./scripted-world.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await Sandbox.open({ threadsMax: 1, limits: { fuelMax: 200 } });
});
afterAll(() => sandbox.close());

const byId = (id: string): TraceQuery => {
  return { by: "value", topic: "order.received", path: "id", value: id };
};

/** The store, and how many rows each list had that it was asked for. */
function watched(store: Store): { readonly store: Store; readonly lists: number[] } {
  const lists: number[] = [];
  const listRows: Store["listRows"] = async (query) => {
    const rows = await store.listRows(query);
    lists.push(rows.length);
    return rows;
  };
  return { store: withCall(store, "listRows", listRows), lists };
}

/** The same with one other call. */
function withCall<K extends keyof Store>(store: Store, name: K, call: Store[K]): Store {
  return new Proxy(store, {
    get: (target, each) => {
      if (each === name) return call;
      const member: unknown = Reflect.get(target, each, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}

describe.each(Object.entries(openStores))("the trace of machines on %s", (_, open) => {
  test("[M.K7.8-5] what waits behind a failed event is told that one's fault", async () => {
    const it = await MachineInTest.begin(sandbox, open);
    const key = encodeCanonical("o1");
    await it.say("o1", "hello");
    await it.say("o1", "throw");
    const failed = await traceMachines(it.parts, byId("o1"));
    for (const word of ["second", "third"]) await it.say("o1", word);
    const behind = await traceMachines(it.parts, byId("o1"));
    expect(behind?.items.map(({ kind }) => kind)).toEqual(["domain_event"]);
    expect(behind?.diagnosis).toEqual(failed?.diagnosis);
    expect(behind?.diagnosis).toMatchObject({
      cause: "invariant_violation",
      note: expect.stringMatching(/^step\.threw: .+/),
      next: expect.stringContaining(`machine restart orders ${machine} --cell '"o1"'`),
    });
    const all = { machine, key, limit: 100 };
    const told = [
      (await timelineOf(it.parts, { ...all, after: 0 })).items,
      (await recentOf(it.parts, { ...all, before: null })).items,
    ];
    for (const items of told) {
      const said = items.flatMap(({ seq, note }) => (note === null ? [] : [[seq, note]]));
      expect(said).toEqual([[behind?.diagnosis.seq, behind?.diagnosis.note]]);
    }
    await it.test.ask("restart_cell", { machine, key, poison: "drop" });
    const { items } = await timelineOf(it.parts, { ...all, after: 0 });
    expect(items.filter(({ note }) => note !== null)).toEqual([]);
    expect((await traceMachines(it.parts, byId("o1")))?.diagnosis.cause).toBe("waiting_event");
  });

  test("[M.K7.8-4] what came of an event is found by event, hash, intent and value", async () => {
    const it = await MachineInTest.begin(sandbox, open);
    await it.say("o1", "book");
    await it.say("o2", "look");
    const trace = await traceMachines(it.parts, byId("o1"));
    expect(trace?.items.map(({ kind }) => kind)).toEqual([
      "domain_event",
      "step",
      "effect_intent",
      "effect_receipt",
      "step",
      "domain_event",
    ]);
    expect(trace).toMatchObject({ state: "completed", window: { count: 6, from: trace?.root } });
    const [, step, intent] = trace?.items ?? [];
    type Hashes = { readonly event_hash?: string; readonly intent_hash?: string };
    const { event_hash: hash = "" } = (step?.record ?? {}) as Hashes;
    const { intent_hash: intentId = "" } = (intent?.record ?? {}) as Hashes;
    for (const query of [
      { by: "event", event: String(trace?.root) },
      { by: "event", event: hash },
      { by: "intent", intentId },
    ] as const) {
      expect(await traceMachines(it.parts, query)).toEqual(trace);
    }
    expect((await traceMachines(it.parts, byId("o2")))?.items).toHaveLength(5);
    expect(await traceMachines(it.parts, byId("nobody"))).toBeNull();
    expect(await traceMachines(it.parts, { by: "event", event: "9999" })).toBeNull();
  });

  test("[M.K7.8-4] the newest event with a value is the one that is followed", async () => {
    const it = await MachineInTest.begin(sandbox, open);
    await it.say("o1", "hello");
    const first = await traceMachines(it.parts, byId("o1"));
    await it.say("o1", "hello");
    const second = await traceMachines(it.parts, byId("o1"));
    expect(second?.root).toBeGreaterThan(first?.window.to ?? Number.MAX_VALUE);
    const saying = { by: "value", topic: "order.received", path: "say", value: "hello" } as const;
    expect(await traceMachines(it.parts, saying)).toEqual(second);
    const elsewhere = { ...saying, topic: "order.booked" };
    expect(await traceMachines(it.parts, elsewhere)).toBeNull();
    expect(await traceMachines(it.parts, { ...saying, path: "say.length" })).toBeNull();
  });

  test("[M.K7.8-4] the window is the newest of it, as many as are asked for", async () => {
    const it = await MachineInTest.begin(sandbox, open);
    await it.say("o1", "book");
    await it.say("o2", "book");
    const whole = await traceMachines(it.parts, byId("o1"));
    const some = await traceMachines(it.parts, byId("o1"), { window: 2 });
    expect(some).toEqual({ ...whole, items: whole?.items.slice(-2) });
    expect(some?.window).toMatchObject({ count: 6 });
  });

  test("[M.K7.8-4] what it waits for is told, and whether anything is under way", async () => {
    const it = await MachineInTest.begin(sandbox, open);
    const rest = { isStrict: true, instances: 0, intents: 0, timers: 0, queued: 0, inputs: 0 };
    await it.say("o1", "hello");
    const waitsOf = async (id: string) => (await traceMachines(it.parts, byId(id)))?.waits;
    const nothing = { intents: [], waiting: 0, queued: 0, pending: 0, quiescence: rest };
    const cell = (id: string) => cellIdOf(machine, encodeCanonical(id));
    expect(await waitsOf("o1")).toEqual({
      ...nothing,
      instances: [{ cell: cell("o1"), status: "running" }],
    });
    await it.say("o2", "wait");
    await it.say("o3", "throw");
    await it.say("o3", "hello");
    const quiescence = { ...rest, isStrict: false, instances: 1, timers: 1 };
    expect(await waitsOf("o1")).toMatchObject({ ...nothing, quiescence });
    const waiting = await traceMachines(it.parts, byId("o2"));
    const { height = 0 } =
      (await showCell(it.parts, { machine, key: encodeCanonical("o2") })) ?? {};
    const asked = waiting?.items.findLast(({ kind }) => kind === "effect_intent");
    expect(waiting?.waits).toMatchObject({
      intents: [{ effect: "sys/timer.set@1", cell: cell("o2"), age: height - (asked?.seq ?? 0) }],
      instances: [{ cell: cell("o2"), status: "waiting" }],
    });
    expect(waiting?.waits.intents[0]?.age).toBeGreaterThan(0);
    // What a cell stopped on, and what came for it since, wait for a person and for no turn.
    const stopped = { instances: [{ status: "failed" }], waiting: 2, queued: 0, quiescence };
    expect(await waitsOf("o3")).toMatchObject(stopped);
  });

  test("[M.K7.8-4] an outcome that no frame has yet is told, and is no rest", async () => {
    const it = await MachineInTest.begin(sandbox, open);
    const seen: (TraceWaits | undefined)[] = [];
    it.test.way = (store) =>
      withCall(store, "commit", async (changes) => {
        const committed = await store.commit(changes);
        seen.push((await traceMachines(it.parts, byId("o1")))?.waits);
        return committed;
      });
    await it.say("o1", "book");
    const between = seen.filter((waits) => (waits?.pending ?? 0) > 0);
    expect(between.length).toBeGreaterThan(0);
    for (const waits of between) {
      expect(waits).toMatchObject({ intents: [{}], pending: 1, quiescence: { inputs: 1 } });
    }
    const { isStrict } = seen.at(-1)?.quiescence ?? {};
    expect(isStrict).toBe(true);
    const rest = { ...seen.at(-1)?.quiescence, isStrict: false, inputs: 1 };
    await it.tell("o2", "hello");
    await it.test.live();
    // Beside an event that was let in, and no frame has: all else is at rest.
    expect(seen.map((waits) => waits?.quiescence)).toContainEqual(rest);
  });

  test("[M.K7.8-4] the journal is read a stretch at a time, however long it is", async () => {
    const it = await MachineInTest.begin(sandbox, open);
    await it.say("o0", "wait");
    for (let at = 0; at < 30; at++) {
      for (const id of ["o1", "o2", "o3", "o4", "o5", "o6"]) await it.tell(id, "hello");
      await it.test.live();
    }
    const { store, lists } = watched(it.parts.store);
    const parts = { ...it.parts, store };
    const { items: all } = await listRecords(parts, { after: 0, limit: 5_000 });
    expect(all.length).toBeGreaterThan(360);
    expect(all.map(({ seq }) => seq)).toEqual(all.map((_, at) => at + 1));
    for (const after of [1, 2, 255, 256, 257, 300]) {
      const { items } = await listRecords(parts, { after, limit: 9 });
      expect(items).toEqual(all.slice(after, after + 9));
    }
    expect((await listRecords(parts, { after: all.length, limit: 9 })).items).toEqual([]);
    lists.splice(0);
    await listRecords(parts, { after: 0, limit: 5 });
    expect(lists.length).toBe(1);
  });

  test("[M.K7.8-5] one cause is named, and what to do", async () => {
    const answer = () => {
      throw new Fails("logic");
    };
    const it = await MachineInTest.begin(sandbox, open, { answer });
    const saying = { a: "book", b: "throw", c: "wait", d: "hello", e: "end" };
    for (const [id, say] of Object.entries(saying)) await it.say(id, say);
    const causeOf = async (id: string) => {
      const found = await traceMachines(it.parts, byId(id));
      expect(found?.diagnosis.next).not.toBe("");
      return [found?.state, found?.diagnosis.cause];
    };
    expect(await causeOf("a")).toEqual(["waiting_event", "adapter_error"]);
    expect(await causeOf("b")).toEqual(["failed", "invariant_violation"]);
    expect(await causeOf("c")).toEqual(["waiting_receipt", "waiting_receipt"]);
    expect(await causeOf("d")).toEqual(["waiting_event", "waiting_event"]);
    expect(await causeOf("e")).toEqual(["completed", "completed"]);
    const [open_] = await listIntents(it.parts);
    const waiting = await traceMachines(it.parts, byId("c"));
    expect(waiting?.diagnosis.intentId).toBe(open_?.intentId);
    expect(waiting?.waits.intents).toMatchObject([{ effect: "sys/timer.set@1" }]);
  });

  test("[M.K7.8-6] everything is counted", async () => {
    const it = await MachineInTest.begin(sandbox, open);
    for (const [id, say] of Object.entries({ a: "book", b: "throw", c: "wait", d: "look" })) {
      await it.say(id, say);
    }
    const { items } = await listRecords(it.parts, { after: 0, limit: 500 });
    const shop = { module: "shop", intents: 1, open: 0 };
    const counted: MachineSummary = {
      records: items.length,
      journal: { from: 1, to: items.length, snapshot: null },
      events: 5,
      intents: 3,
      receipts: { ok: 2 },
      frames: 0,
      faults: 1,
      continuations: { receipt: 2 },
      routes: [
        { ...shop, effect: "shop/book@1", entrypoint: "book" },
        { ...shop, effect: "shop/look@1", entrypoint: "look" },
        {
          effect: timerEffect,
          module: "sys/builtin_effects@1",
          entrypoint: "timer.set",
          intents: 1,
          open: 1,
        },
      ],
      instances: { completed: 1, failed: 1, running: 1, waiting: 1 },
      proposals: {},
      open: 1,
      ready: 0,
      waits: { isStrict: false, instances: 1, intents: 0, timers: 1, queued: 0, inputs: 0 },
    };
    expect(await summarizeMachines(it.parts)).toEqual(counted);
    await it.test.ask("snapshot_machines", {});
    await it.say("b", "hello");
    const { records, journal, ...rest } = await summarizeMachines(it.parts);
    expect(rest).toEqual({ ...counted, events: 6, records: undefined, journal: undefined });
    expect(journal).toEqual({ from: 1, to: records, snapshot: items.length + 1 });
  });

  test("[M.K7.8-6] what no cell could have is told from what cells were stepped with", async () => {
    const look = {
      answer: ({ id }: { readonly [name: string]: unknown }) => {
        return id === "bad" ? { nonsense: true } : { number: 7 };
      },
    };
    const it = await MachineInTest.begin(sandbox, open, {}, look);
    await it.say("good", "look");
    await it.say("bad", "look");
    expect(await summarizeMachines(it.parts)).toMatchObject({
      receipts: { ok: 2 },
      continuations: { receipt: 1, undeliverable: 1 },
      faults: 1,
      instances: { failed: 1, running: 1 },
    });
  });

  test("[M.K7.8-3] a state is read as it was after any record between two inputs", async () => {
    const it = await MachineInTest.begin(sandbox, open);
    await it.say("o1", "first");
    const key = encodeCanonical("o1");
    const first = await showCell(it.parts, { machine, key });
    await it.say("o1", "second");
    const last = await showCell(it.parts, { machine, key });
    expect(last).toMatchObject({ state: { log: ["first", "second"] } });
    expect(last?.height).toBeGreaterThan(first?.height ?? 0);
    expect(await showCell(it.parts, { machine, key, at: first?.height ?? 0 })).toEqual(first);
    expect(await showCell(it.parts, { machine, key, at: 1 })).toBeNull();
    await it.say("o1", "book");
    const { items } = await listRecords(it.parts, { after: 0, limit: 500 });
    const step = items.findLast(({ record }) => (record as { kind: string }).kind === "step");
    const midst = showCell(it.parts, { machine, key, at: step?.seq ?? 0 });
    await expect(midst).rejects.toMatchObject({ divergence: { code: "journal.cut" } });
  });

  test("[M.K7.8-3] a state says its version and the snapshot it was read from", async () => {
    const it = await MachineInTest.begin(sandbox, open);
    await it.say("o1", "first");
    const name = { machine, key: encodeCanonical("o1") };
    const before = await showCell(it.parts, name);
    const [workflow] = await it.test.rows("workflows");
    expect(before).toMatchObject({ manifestHash: workflow?.scriptHash, snapshot: null });
    await it.test.ask("snapshot_machines", {});
    const { store, workflow: id } = it.parts;
    const taken = await awaitSnapshot({ store, workflow: id }, { waitMs: 0, monotonicMs: () => 0 });
    await it.say("o1", "second");
    const snapshot = { ref: taken?.ref, height: taken?.height };
    const after = await showCell(it.parts, name);
    expect(after).toMatchObject({ snapshot, state: { log: ["first", "second"] } });
    expect(after?.height).toBeGreaterThan(snapshot.height ?? Number.MAX_VALUE);
    expect(await showCell(it.parts, { ...name, at: before?.height ?? 0 })).toEqual(before);
    expect(await showCell(it.parts, { ...name, at: after?.height ?? 0 })).toEqual(after);
  });
});

test("[M.K7.8-4] [M.K7.8-6] no list of frames is as long as the journal", async () => {
  const it = await MachineInTest.begin(sandbox, openStores.memory);
  it.test.policy = { ...policyDefaults, machineSnapshotRecords: 30 };
  await it.say("o0", "wait");
  for (let at = 0; at < 200; at++) await it.say("o1", "hello");
  const { store, lists } = watched(it.parts.store);
  const parts = { ...it.parts, store };
  expect(await traceMachines(parts, byId("o0"))).toMatchObject({ state: "waiting_receipt" });
  expect(await summarizeMachines(parts)).toMatchObject({ events: 201 });
  expect(lists.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(600);
  expect(Math.max(...lists)).toBeLessThan(150);
});
