import { describe, expect, test } from "vitest";
import { encodeCanonical, type Schema } from "../canonical/index.ts";
import type { Admission } from "./input.ts";
import { MachineWorld } from "./testing/machine-world.ts";
import { orderStep } from "./testing/order-step.ts";
import {
  int,
  machineOf,
  orderSet,
  receiptArm,
  record,
  ref,
  text,
  variant,
} from "./testing/sample-set.ts";

type Seen = { readonly seen: readonly unknown[] } | null;
/** Keeps what came, as text. */
const remember = (state: Seen, event: unknown) => ({
  state: { seen: [...(state?.seen ?? []), JSON.stringify(event)] },
});
const seen = record({ seen: { type: "list", item: text } });
const codeOf = (answer: Admission): string => (answer.ok ? answer.outcome : answer.code);

describe("events find their cells", () => {
  test("[M.T-1] every subscriber in the order of the source; without any, still recorded", () => {
    const names = ["zeta", "alpha", "mid"];
    const world = new MachineWorld({
      declaration: {
        topics: [
          { name: "t", schema: record({}) },
          { name: "nobody", schema: record({}) },
        ],
        machines: names.map((name) =>
          machineOf({ name, state: seen, event: ref("t"), subscribe: [{ topic: "t", key: null }] }),
        ),
      },
      steps: Object.fromEntries(names.map((name) => [name, remember])),
    });
    world.send("t", {});
    expect(world.records("step").map(({ machine }) => machine)).toEqual([
      "shop/zeta@1",
      "shop/alpha@1",
      "shop/mid@1",
    ]);
    expect(world.send("nobody", {}).ok).toBe(true);
    expect(world.records("domain_event").at(-1)).toMatchObject({ topic: "nobody", targets: [] });
    expect(world.whyReplayDiffers()).toBeNull();
  });

  test("[M.T-2] [M.T-3] [M.T-4] [M.K7.3-1] a family takes its arms' events, wrapped", () => {
    const world = new MachineWorld({
      declaration: {
        topics: [
          { name: "paid", schema: record({ id: text }) },
          { name: "any", schema: variant({ Paid: ref("paid"), Open: ref("open") }) },
          { name: "open", schema: record({ id: text }) },
        ],
        machines: [
          machineOf({
            name: "family",
            state: seen,
            event: ref("any"),
            key: text,
            subscribe: [{ topic: "any", key: "$value.id" }],
          }),
          machineOf({
            name: "arm",
            state: seen,
            event: variant({ P: ref("paid") }),
            key: text,
            subscribe: [{ topic: "paid", key: "id" }],
          }),
        ],
      },
      steps: { family: remember, arm: remember },
    });
    world.send("paid", { id: "1" });
    world.send("any", { Open: { id: "2" } });
    const wrapped = JSON.stringify({ $tag: "Paid", $value: { id: "1" } });
    expect(world.state("family", "1")).toEqual({ seen: [wrapped] });
    expect(world.state("arm", "1")).toEqual({
      seen: [JSON.stringify({ $tag: "P", $value: { id: "1" } })],
    });
    expect(world.state("family", "2")).toEqual({
      seen: [JSON.stringify({ $tag: "Open", $value: { id: "2" } })],
    });
    expect(world.kernel.cells.has(world.cellId("arm", "2"))).toBe(false);
    expect(world.whyReplayDiffers()).toBeNull();
  });

  test("[M.T-6] one event to a keyed and an unkeyed machine, and to two different keys", () => {
    const both: Schema = record({ a: text, b: int });
    const world = new MachineWorld({
      declaration: {
        topics: [{ name: "t", schema: both }],
        machines: [
          machineOf({ name: "plain", state: seen, subscribe: [{ topic: "t", key: null }] }),
          machineOf({ name: "byA", state: seen, key: text, subscribe: [{ topic: "t", key: "a" }] }),
          machineOf({ name: "byB", state: seen, key: int, subscribe: [{ topic: "t", key: "b" }] }),
        ].map((machine) => ({ ...machine, event: ref("t") })),
      },
      steps: { plain: remember, byA: remember, byB: remember },
    });
    world.send("t", { a: "x", b: -1 });
    expect(world.records("domain_event")[0]).toMatchObject({
      ingress_key: null,
      targets: [
        { machine: "shop/plain@1", key: null },
        { machine: "shop/byA@1", key: encodeCanonical("x") },
        { machine: "shop/byB@1", key: encodeCanonical(-1) },
      ],
    });
    expect(world.whyReplayDiffers()).toBeNull();
  });

  test("[M.C-8] [M.T-5] what does not fit is refused whole and not recorded", () => {
    const world = new MachineWorld({ declaration: orderSet(), steps: { order: orderStep } });
    const before = world.journal.length;
    const sent = (value: Uint8Array, key: Uint8Array | null = null) =>
      codeOf(world.one({ kind: "event", topic: "order.placed", value, key, messageId: null }));
    const good = encodeCanonical({ id: "1", say: "hello" });
    expect(sent(encodeCanonical({ id: "1" }))).toBe("event.invalid");
    expect(sent(encodeCanonical({ id: "1", say: "a", more: 1 }))).toBe("event.invalid");
    expect(sent(encodeCanonical({ id: 0.5, say: "a" }))).toBe("event.invalid");
    expect(sent(good.slice(0, -1))).toBe("event.invalid");
    expect(sent(Uint8Array.of(...good, 0))).toBe("event.invalid");
    expect(sent(good.slice(3))).toBe("event.invalid");
    expect(sent(good, encodeCanonical("2"))).toBe("event.key_mismatch");
    expect(codeOf(world.send("order.gone", {}))).toBe("event.topic_unknown");
    expect(world.journal).toHaveLength(before);
    expect(sent(good, encodeCanonical("1"))).toBe("taken");
  });

  test("[M.T-4] [M.W-4] straight to one cell, with a key exactly when the machine has one", () => {
    const both = orderSet();
    const plain = machineOf({ name: "plain", event: ref("order.booked") });
    const machines = [...(both.machines ?? []), plain];
    const steps = { order: orderStep, plain: () => ({ state: { log: [] } }) };
    const world = new MachineWorld({ declaration: { ...both, machines }, steps });
    const direct = (machine: string, key: string | null, value: unknown) =>
      codeOf(
        world.one({
          kind: "direct",
          machine,
          key: key === null ? null : encodeCanonical(key),
          value: encodeCanonical(value as never),
        }),
      );
    const placed = { Placed: { id: "9", say: "hi" } };
    expect(direct("shop/order@1", "1", placed)).toBe("taken");
    expect(world.state("order", "1")).toEqual({ log: ["hi"] });
    expect(direct("shop/order@1", null, placed)).toBe("event.key_missing");
    expect(direct("shop/plain@1", "1", { id: "1" })).toBe("event.key_unexpected");
    expect(direct("shop/plain@1", null, { id: "1" })).toBe("taken");
    expect(direct("shop/gone@1", null, {})).toBe("event.machine_unknown");
    expect(world.whyReplayDiffers()).toBeNull();
  });

  test("[M.E-1] only the kernel says receipts: forged arms are refused", () => {
    const world = new MachineWorld({ declaration: orderSet(), steps: { order: orderStep } });
    world.send("order.placed", { id: "1", say: "book" });
    const intent = world.firstOpen();
    const forged = {
      $tag: "Receipt",
      $value: {
        origin_module_id: intent.machine,
        origin_workflow_hash: intent.machineHash,
        origin_instance_key: intent.key,
        intent_id: `sha256:${intent.id}`,
        effect: intent.effect,
        effect_hash: null,
        executor_module: null,
        executor_module_hash: null,
        executor_entrypoint: null,
        params_hash: null,
        issuer_ref: null,
        emitted_at_seq: 1,
        receipt_payload: encodeCanonical({ ref: "x" }),
        status: "ok",
        cost_cents: null,
        signature: new Uint8Array(64),
      },
    };
    const [machine, key] = ["shop/order@1", encodeCanonical("1")];
    const value = encodeCanonical(forged);
    expect(codeOf(world.one({ kind: "direct", machine, key, value }))).toBe("event.reserved_arm");
    const family = new MachineWorld({
      declaration: {
        topics: [
          { name: "t", schema: record({}) },
          { name: "any", schema: variant({ T: ref("t"), ...receiptArm }) },
        ],
        machines: [machineOf({ event: ref("any"), subscribe: [{ topic: "any", key: null }] })],
      },
      steps: { order: orderStep },
    });
    expect(codeOf(family.send("any", forged))).toBe("event.reserved_arm");
    expect(world.open()).toHaveLength(1);
  });

  test("an event or a payload over its limit is refused, to the byte, and not written", () => {
    const size = encodeCanonical({ id: "1", say: "book" }).length;
    const limits = { eventBytesMax: size, payloadBytesMax: encodeCanonical({ ref: "r" }).length };
    const world = new MachineWorld({
      declaration: orderSet(),
      steps: { order: orderStep },
      limits,
    });
    expect(codeOf(world.send("order.placed", { id: "1", say: "book!" }))).toBe("event.too_large");
    expect(codeOf(world.send("order.placed", { id: "1", say: "book" }))).toBe("taken");
    const intent = world.firstOpen();
    const count = world.journal.length;
    expect(codeOf(world.settle(intent, "ok", { ref: "rr" }))).toBe("payload.too_large");
    expect(codeOf(world.one(world.frame(intent, 1, "too long a word")))).toBe("payload.too_large");
    expect([world.journal.length, world.open().length]).toEqual([count, 1]);
    expect(codeOf(world.settle(intent, "ok", { ref: "r" }))).toBe("taken");
  });

  test("a mailbox that is full refuses what comes from outside", () => {
    const limits = { mailboxEntriesMax: 2 };
    const world = new MachineWorld({
      declaration: orderSet(),
      steps: { order: orderStep },
      limits,
    });
    world.send("order.placed", { id: "1", say: "throw" });
    expect(codeOf(world.send("order.placed", { id: "1", say: "a" }))).toBe("taken");
    expect(codeOf(world.send("order.placed", { id: "1", say: "b" }))).toBe("mailbox.full");
    expect(codeOf(world.send("order.placed", { id: "2", say: "b" }))).toBe("taken");
  });
});
