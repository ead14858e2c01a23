import { encodeCanonical } from "@holdfast/core";
import {
  listIntents,
  listRecords,
  showCell,
  summarizeMachines,
  type TraceQuery,
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

describe.each(Object.entries(openStores))("the trace of machines on %s", (_, open) => {
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
    for (const [id, say] of Object.entries({ a: "book", b: "throw", c: "wait" })) {
      await it.say(id, say);
    }
    const summary = await summarizeMachines(it.parts);
    const { next: _next, ...records } = await listRecords(it.parts, { after: 0, limit: 500 });
    expect(summary).toEqual({
      records: records.items.length,
      events: 4,
      intents: 2,
      receipts: { ok: 1 },
      frames: 0,
      faults: 1,
      instances: { completed: 1, failed: 1, waiting: 1 },
      proposals: {},
      open: 1,
      ready: 0,
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
});
