import { describe, expect, test } from "vitest";
import { encodeCanonical } from "../canonical/index.ts";
import { type Served, serve } from "./serve.ts";
import type { StepAnswer, StepCall, StepOutput } from "./step.ts";
import { closeStepReturn } from "./step-return.ts";
import { MachineWorld } from "./testing/machine-world.ts";
import { orderStep } from "./testing/order-step.ts";
import { machineOf, nat, orderSet, record, ref, text } from "./testing/sample-set.ts";

const orders = (limits = {}) =>
  new MachineWorld({ declaration: orderSet(), steps: { order: orderStep }, limits });
const say = (world: MachineWorld, ...words: readonly string[]) => {
  for (const word of words) world.send("order.placed", { id: "1", say: word });
};
const faults = (world: MachineWorld) =>
  world.records("workflow.step_fault").map(({ code }) => code);

/** Answers the one step of an event with these very bytes. */
function answer(world: MachineWorld, given: StepAnswer): StepCall {
  const input = world.event("order.placed", { id: "1", say: "raw" });
  const run = serve(world.kernel, [{ input, sample: world.sample() }], { turnsMax: 1 });
  const { value } = run.next();
  const served = run.next(given).value as Served;
  world.journal.push(...(served.frame?.records ?? []));
  return value as StepCall;
}

const output = (given: Partial<StepOutput> = {}): StepAnswer => ({
  kind: "output",
  output: {
    state: encodeCanonical({ log: [] }),
    events: [],
    effects: [],
    done: false,
    annotations: null,
    ...given,
  },
});

describe("a step counts whole or not at all", () => {
  test("[M.E-9] a good effect and an undeclared one: nothing is left but the fault", () => {
    const world = orders();
    say(world, "hello");
    const [state, count] = [world.state("order", "1"), world.journal.length];
    say(world, "undeclared");
    expect(world.state("order", "1")).toEqual(state);
    expect(world.open()).toEqual([]);
    expect(world.published.filter(({ kind }) => kind === "start")).toEqual([]);
    expect(world.records().slice(count)).toMatchObject([
      { kind: "domain_event", outside: true },
      { kind: "custom", name: "workflow.step_fault", code: "workflow.output_invalid" },
    ]);
    expect(world.whyReplayDiffers()).toBeNull();
  });

  test("[M.E-9] what stands before a bad effect is not said either: no event, no state", () => {
    const book = { effect: "http/book@1", params: { id: "1" } };
    const order = () => ({
      state: { log: ["half"] },
      events: [{ topic: "order.booked", payload: { id: "1" } }],
      effects: [book, { ...book, effect: "http/pay@1" }],
    });
    const world = new MachineWorld({ declaration: orderSet(), steps: { order } });
    say(world, "x");
    expect(world.records().map(({ kind, name }) => name ?? kind)).toEqual([
      "manifest",
      "domain_event",
      "workflow.step_fault",
    ]);
    expect([world.state("order", "1"), world.open()]).toEqual([null, []]);
    expect(world.published.map(({ kind }) => kind)).toEqual(["stopped"]);
    expect(world.whyReplayDiffers()).toBeNull();
  });

  test.each([
    ["throw", "step.threw"],
    ["undeclared", "workflow.output_invalid"],
    ["bare", "workflow.output_invalid"],
    ["bad-params", "effect.params_invalid"],
    ["bad-state", "step.state_invalid"],
    ["fraction", "step.state_invalid"],
    ["bad-event", "step.event_invalid"],
    ["no-topic", "workflow.output_invalid"],
    ["end-with-effect", "step.null_with_effects"],
    ["annotated", "step.annotations_invalid"],
    ["unreadable", "step.output_unreadable"],
  ])("[M.F-7] [M.E-4] [M.C-11] [M.I-5] %s is the fault %s of that instance alone", (word, code) => {
    const world = orders();
    say(world, "hello");
    const events = world.published.length;
    say(world, word, "after");
    world.send("order.placed", { id: "2", say: "other" });
    expect(faults(world)).toEqual([code]);
    expect(world.status("order", "1")).toBe("failed");
    expect(world.state("order", "1")).toEqual({ log: ["hello"] });
    const [stopped, ...others] = world.published.slice(events);
    expect(stopped).toMatchObject({ kind: "stopped", why: expect.stringContaining(code) });
    expect(others).toEqual([]);
    expect(world.state("order", "2")).toEqual({ log: ["other"] });
    expect(world.kernel.cells.get(world.cellId("order", "1"))?.mailbox.count).toBe(2);
    expect(world.whyReplayDiffers()).toBeNull();
  });

  test("no record holds the words of an engine or of a refusal; they are in the notes", () => {
    const world = orders();
    say(world, "throw");
    const [fault] = world.records("workflow.step_fault");
    expect(Object.keys(fault ?? {}).toSorted()).toEqual(
      [
        "cause",
        "code",
        "event_hash",
        "key",
        "kind",
        "machine",
        "name",
        "outside",
        "seq",
      ].toSorted(),
    );
    expect(world.notes).toMatchObject([{ code: "step.threw", text: "Error: as told" }]);
  });

  test("[M.E-6] 64 effects, 256 events and 1 MiB pass; one more of each does not", () => {
    const effect = {
      effect: "http/book@1",
      params: encodeCanonical({ id: "1" }),
      requestedKey: null,
      issuerRef: null,
      deadlineNs: null,
    };
    const event = {
      topic: "order.booked",
      value: encodeCanonical({ id: "1" }),
      key: null,
      messageId: null,
    };
    const many = <T>(item: T, count: number) => Array.from({ length: count }, () => item);
    const verdict = (given: Partial<StepOutput>) => {
      const world = orders();
      answer(world, output(given));
      return faults(world)[0] ?? "good";
    };
    expect(verdict({ effects: many(effect, 64) })).toBe("good");
    expect(verdict({ effects: many(effect, 65) })).toBe("step.too_many_effects");
    expect(verdict({ events: many(event, 256) })).toBe("good");
    expect(verdict({ events: many(event, 257) })).toBe("step.too_many_events");
    const sized = (total: number) => {
      const bare = encodeCanonical({ log: ["x".repeat(100_000)] }).length - 100_000;
      return encodeCanonical({ log: ["x".repeat(total - bare)] });
    };
    expect(sized(1_048_576)).toHaveLength(1_048_576);
    expect(verdict({ state: sized(1_048_576) })).toBe("good");
    expect(verdict({ state: sized(1_048_577) })).toBe("step.output_too_large");
    // All of it counts, to the byte: topic, value, effect, params, both keys, and the handle.
    const used = {
      events: [{ ...event, key: encodeCanonical("k") }],
      effects: [{ ...effect, requestedKey: Uint8Array.of(1, 2), issuerRef: "é" }],
    };
    const size = 12 + event.value.length + 5 + 11 + effect.params.length + 2 + 2;
    expect(verdict({ ...used, state: sized(1_048_576 - size) })).toBe("good");
    expect(verdict({ ...used, state: sized(1_048_577 - size) })).toBe("step.output_too_large");
  });

  test("negative control: a step that says something else the second time is found", () => {
    let count = 0;
    const order = () => ({ state: { log: [`${count++}`] } });
    const world = new MachineWorld({ declaration: orderSet(), steps: { order } });
    expect(() => say(world, "x")).toThrow("order is not deterministic");
  });

  test("[M.E-6] limits are judged before anything else in the output", () => {
    const world = orders();
    const wrong = {
      effect: "nobody/knows@1",
      params: Uint8Array.of(0),
      requestedKey: null,
      issuerRef: null,
      deadlineNs: null,
    };
    answer(world, output({ effects: Array.from({ length: 65 }, () => wrong) }));
    expect(faults(world)).toEqual(["step.too_many_effects"]);
  });

  test("[M.E-8] consequences come in order: state, events, effects", () => {
    const world = new MachineWorld({
      declaration: orderSet(),
      steps: {
        order: () => ({
          state: { log: ["x"] },
          effects: [
            { effect: "http/look@1", params: { id: "1" } },
            { effect: "http/book@1", params: { id: "2" } },
          ],
          events: [
            { topic: "order.booked", payload: { id: "a" } },
            { topic: "order.booked", payload: { id: "b" }, messageId: "m" },
          ],
        }),
      },
    });
    world.send("order.placed", { id: "1", say: "" });
    expect(world.records().map(({ kind }) => kind)).toEqual([
      "manifest",
      "domain_event",
      "step",
      "domain_event",
      "domain_event",
      "effect_intent",
      "effect_intent",
    ]);
    expect(world.records("effect_intent").map(({ effect }) => effect)).toEqual([
      "http/look@1",
      "http/book@1",
    ]);
    expect(world.published.map(({ kind }) => kind)).toEqual(["event", "event", "start", "start"]);
    expect(world.records("domain_event").at(-1)).toMatchObject({ message_id: "m", outside: false });
  });

  test("[M.C-9] two ways to write the same params are one intent; maps have no order", () => {
    const headers = { type: "map", key: text, value: text } as const;
    const params = record({ how: { type: "variant", arms: { a: nat } }, headers });
    const forms = [
      { how: { a: 1 }, headers: { x: "1", yy: "2" } },
      { how: { $tag: "a", $value: 1 }, headers: { yy: "2", x: "1" } },
    ];
    const hashes = forms.map((form) => {
      const set = orderSet();
      const effects = (set.effects ?? []).map((effect) => ({ ...effect, params }));
      const order = () => ({
        state: { log: [] },
        effects: [{ effect: "http/book@1", params: form }],
      });
      const world = new MachineWorld({ declaration: { ...set, effects }, steps: { order } });
      world.send("order.placed", { id: "1", say: "" });
      return world.firstOpen().id;
    });
    expect(hashes[0]).toBe(hashes[1]);
  });

  test("[M.C-11] the state is kept in the one form of its schema, whatever the step wrote", () => {
    const state = record({
      phase: { type: "variant", arms: { Open: null } },
      note: { type: "option", inner: text },
      tags: { type: "set", item: text },
    });
    const forms = [
      { phase: { Open: null }, tags: ["b", "a", "b"] },
      { phase: { $tag: "Open" }, note: null, tags: ["a", "b"] },
    ];
    const kept = forms.map((form) => {
      const order = () => ({ state: form });
      const world = new MachineWorld({ declaration: orderSet({ state }), steps: { order } });
      say(world, "x");
      return [world.kernel.cells.get(world.cellId("order", "1"))?.state, world.journal.at(-1)];
    });
    expect(kept[0]?.[0]).toBeInstanceOf(Uint8Array);
    expect(kept[0]?.[0]).toEqual(kept[1]?.[0]);
    expect(kept[0]?.[1]).toEqual(kept[1]?.[1]);
  });

  test("[M.E-9] texts that cannot be ids are a fault before anything is written", () => {
    const texts = ["\ud800", "x".repeat(513)];
    for (const text of texts) {
      const world = orders();
      const effect = {
        effect: "http/book@1",
        params: encodeCanonical({ id: "1" }),
        requestedKey: null,
        deadlineNs: null,
      };
      const value = encodeCanonical({ id: "1" });
      const event = { topic: "order.booked", value, key: null, messageId: text };
      answer(world, output({ effects: [{ ...effect, issuerRef: text }] }));
      expect([faults(world), world.open()]).toEqual([["workflow.output_invalid"], []]);
      const other = orders();
      answer(other, output({ events: [event] }));
      expect(faults(other)).toEqual(["workflow.output_invalid"]);
      expect(other.records("step")).toEqual([]);
    }
  });

  test("[M.F-7] whatever a guest returns is an output or a fault, never an error", () => {
    const strange: unknown[] = [
      ...[undefined, null, 1, "x", [], new Map(), () => 1],
      ...[{}, { state: {}, more: 1 }, { state: null, done: 1 }, { state: null, events: {} }],
      ...[
        { state: null, effects: "x" },
        { state: null, events: [null] },
      ],
      { state: null, events: [{ topic: 1, payload: {} }] },
      { state: null, events: [{ topic: "\ud800", payload: {} }] },
      { state: null, effects: [{ effect: "a/b@1", params: {}, deadlineMs: Number.NaN }] },
      { state: null, effects: [{ effect: "a/b@1", params: {}, key: 7 }] },
      { state: null, effects: [{ effect: "a/b@1", params: {}, issuerRef: {} }] },
      { state: { at: new Date(0) } },
    ];
    const cycle: { self?: unknown } = {};
    cycle.self = cycle;
    for (const returned of [...strange, { state: cycle }]) {
      const closed = closeStepReturn(returned);
      expect(closed.kind === "fault" ? closed.code : closed).toBe("step.output_unreadable");
    }
    expect(closeStepReturn({ state: { a: undefined } })).toMatchObject({ kind: "output" });
  });

  test("[M.E-10] blob.put with another hash than its bytes have is refused", () => {
    const step = (ref: string | null) => () => ({
      state: { log: [] },
      effects: [{ effect: "sys/blob.put@1", params: { bytes: Uint8Array.of(1), blob_ref: ref } }],
    });
    const run = (ref: string | null) => {
      const declaration = orderSet({ effects: ["sys/blob.put@1"] });
      const world = new MachineWorld({ declaration, steps: { order: step(ref) } });
      world.send("order.placed", { id: "1", say: "" });
      return faults(world)[0] ?? world.firstOpen().id;
    };
    expect(run(`sha256:${"0".repeat(64)}`)).toBe("effect.params_invalid");
    const whole = "sha256:4bf5122f344554c53bde2ebb8cd2b7e3d1600ad631c385a5d7cce23c7785459a";
    expect(run(whole)).toBe(run(null));
  });

  test("[M.K7.4-2] machines that wake each other end at a depth that is recorded", () => {
    const ping = () => ({ state: { log: [] }, events: [{ topic: "t", payload: {} }] });
    const world = new MachineWorld({
      declaration: {
        topics: [{ name: "t", schema: record({}) }],
        machines: [machineOf({ event: ref("t"), subscribe: [{ topic: "t", key: null }] })],
      },
      steps: { order: ping },
      limits: { cascadeLevelsMax: 5 },
    });
    world.give([world.event("t", {})], 50);
    expect(faults(world)).toEqual(["step.cascade_too_deep"]);
    expect(world.records("step")).toHaveLength(5);
    expect(world.whyReplayDiffers()).toBeNull();
  });

  test("[M.K7.2-1] a step is called with its version, state, event and key", () => {
    const world = orders();
    say(world, "hello");
    const call = answer(world, output());
    expect(call).toMatchObject({
      version: 1,
      machine: "shop/order@1",
      state: encodeCanonical({ log: ["hello"] }),
      event: {
        schema: "shop/order@1",
        value: encodeCanonical({ $tag: "Placed", $value: { id: "1", say: "raw" } }),
        key: encodeCanonical("1"),
      },
      ctx: null,
    });
  });
});
