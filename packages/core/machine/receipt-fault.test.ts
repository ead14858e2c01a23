import { describe, expect, test } from "vitest";
import { encodeCanonical, hashText } from "../canonical/index.ts";
import { hashBytes } from "./hash-bytes.ts";
import { hex } from "./hex.ts";
import type { Admission } from "./input.ts";
import { MachineWorld, setOf } from "./testing/machine-world.ts";
import { orderStep } from "./testing/order-step.ts";
import { machineOf, orderSet, receiptArm, ref, variant } from "./testing/sample-set.ts";

const orders = (limits = {}) =>
  new MachineWorld({ declaration: orderSet(), steps: { order: orderStep }, limits });
const say = (world: MachineWorld, word: string, id = "1") =>
  world.send("order.placed", { id, say: word });
const outcomeOf = (answer: Admission): string => (answer.ok ? answer.outcome : answer.code);
const log = (world: MachineWorld, id = "1") =>
  (world.state("order", id) as { log: readonly string[] } | undefined)?.log;

/** Machines whose event schema takes fewer continuations. */
const withArms = (arms: { [tag: string]: ReturnType<typeof ref> }) =>
  new MachineWorld({
    declaration: orderSet({ event: variant({ Placed: ref("order.placed"), ...arms }) }),
    steps: { order: orderStep },
  });

describe("receipts that a step cannot have", () => {
  const bad = encodeCanonical({ nonsense: 1 });

  test("[M.F-1] [M.F-2] [M.F-4] [M.F-5] [M.F-6] the step hears of it; others stay", () => {
    const world = orders();
    say(world, "twice");
    const [first, second] = world.open();
    if (!first || !second) throw new Error("two are open");
    expect(outcomeOf(world.one(world.receipt(first, "ok", bad)))).toBe("rejected");
    expect(log(world)).toEqual(["twice", "rejected receipt.invalid_payload"]);
    expect(world.open()).toEqual([second]);
    expect(world.records("workflow.receipt_fault")).toMatchObject([
      {
        machine: "shop/order@1",
        key: encodeCanonical("1"),
        intent_hash: first.hash,
        effect: "http/book@1",
        status: "ok",
        error_code: "receipt.invalid_payload",
        delivered_rejected: true,
        workflow_failed: false,
        dropped_pending_receipts: [],
        payload_hash: hashBytes(hashText(bad)),
      },
    ]);
    expect(world.whyReplayDiffers()).toBeNull();
  });

  test("[M.F-3] [M.F-6] with no arm for it the instance fails and waits for nothing", () => {
    const world = withArms(receiptArm);
    say(world, "twice");
    const [first, second] = world.open();
    if (!first || !second) throw new Error("two are open");
    world.one(world.receipt(first, "ok", bad));
    expect(world.status("order", "1")).toBe("failed");
    expect(log(world)).toEqual(["twice"]);
    expect(world.open()).toEqual([]);
    expect(world.published.at(-1)).toMatchObject({ kind: "withdraw", intentHash: second.hash });
    expect(world.records("workflow.receipt_fault")).toMatchObject([
      { delivered_rejected: false, workflow_failed: true, dropped_pending_receipts: [second.hash] },
    ]);
    expect(outcomeOf(world.settle(second, "ok", { ref: "r" }))).toBe("ignored");
    expect(log(world)).toEqual(["twice"]);
    expect(world.whyReplayDiffers()).toBeNull();
  });

  test.each([
    ["the step hears of it", "running", orders],
    ["the instance fails", "failed", () => withArms(receiptArm)],
  ])("[M.F-6] where %s, every snapshot with its tail ends as it did live", (_, status, begin) => {
    const world = begin();
    say(world, "twice");
    const [first, second] = world.open();
    if (!first || !second) throw new Error("two are open");
    world.one(world.receipt(first, "ok", bad));
    world.settle(second, "ok", { ref: "r" });
    say(world, "after");
    const live = hex(world.snapshot());
    const [state, seen] = [world.state("order", "1"), world.status("order", "1")];
    expect(seen).toBe(status);
    let count = 0;
    for (let upTo = 1; upTo <= world.journal.length; upTo++) {
      const part = world.replay({ upTo });
      if (!part.ok) continue;
      count++;
      const rest = world.replay({ from: world.restored(part.kernel) });
      expect(rest.ok && hex(world.snapshot(rest.kernel))).toBe(live);
      world.kernel = rest.kernel;
      expect([world.state("order", "1"), world.status("order", "1")]).toEqual([state, seen]);
    }
    expect(count).toBeGreaterThan(5);
  });

  test.each([
    ["no canonical bytes", Uint8Array.of(1, 2, 3)],
    ["no bytes at all", new Uint8Array()],
    ["bytes that go on", Uint8Array.of(...encodeCanonical({ ref: "r" }), 0)],
    ["an unknown field", encodeCanonical({ ref: "r", more: 1 })],
    ["a fraction", encodeCanonical({ ref: 0.5 })],
  ])("[M.C-13] [M.F-1] a payload with %s is one", (_what, payload) => {
    const world = orders();
    say(world, "book");
    expect(outcomeOf(world.one(world.receipt(world.firstOpen(), "ok", payload)))).toBe("rejected");
    expect(world.whyReplayDiffers()).toBeNull();
  });

  test("[M.F-4] a machine that takes no receipts at all has no place for one", () => {
    const world = new MachineWorld({
      declaration: orderSet({ event: variant({ Placed: ref("order.placed") }) }),
      steps: { order: orderStep },
    });
    say(world, "book");
    world.settle(world.firstOpen(), "ok", { ref: "r" });
    expect(world.records("workflow.receipt_fault")).toMatchObject([
      { error_code: "receipt.delivery_failed", workflow_failed: true },
    ]);
    expect(world.whyReplayDiffers()).toBeNull();
  });

  test("[M.V-3] a machine whose event is the envelope itself gets it unwrapped", () => {
    const world = new MachineWorld({
      declaration: {
        ...orderSet(),
        machines: [
          machineOf({
            name: "asker",
            event: variant({ Placed: ref("order.placed") }),
            subscribe: [{ topic: "order.placed", key: null }],
            effects: ["http/book@1"],
          }),
        ],
      },
      steps: { asker: orderStep },
    });
    say(world, "book");
    const whole = setOf({
      ...orderSet(),
      machines: [
        machineOf({
          name: "asker",
          event: ref("sys/EffectReceiptEnvelope@1"),
          effects: ["http/book@1"],
        }),
      ],
    });
    world.addSet(whole);
    world.one({ kind: "manifest", set: whole });
    let seen: { status?: string } = {};
    world.steps = {
      asker: (_state: never, event: never) => {
        seen = event;
        return { state: { log: [] } };
      },
    };
    world.settle(world.firstOpen(), "ok", { ref: "r" });
    expect(seen.status).toBe("ok");
  });
});
