import { describe, expect, test } from "vitest";
import { contentHash, encodeCanonical } from "../canonical/index.ts";
import type { Admission, FrameInput } from "./input.ts";
import type { OpenIntent } from "./intent.ts";
import { MachineWorld } from "./testing/machine-world.ts";
import { orderStep } from "./testing/order-step.ts";
import { orderSet, receiptArm, ref, variant } from "./testing/sample-set.ts";

const outcomeOf = (answer: Admission): string => (answer.ok ? answer.outcome : answer.code);
const log = (world: MachineWorld) =>
  (world.state("order", "1") as { log: readonly string[] } | undefined)?.log;

function started(given = orderSet()): { world: MachineWorld; intent: OpenIntent } {
  const world = new MachineWorld({ declaration: given, steps: { order: orderStep } });
  world.send("order.placed", { id: "1", say: "book" });
  return { world, intent: world.firstOpen() };
}

const reasons = (world: MachineWorld) =>
  world.records("workflow.stream_drop").map(({ reason }) => reason);

describe("stream frames", () => {
  test("[M.V-9] in order they are taken; a repetition is dropped, a gap is taken and noted", () => {
    const { world, intent } = started();
    const given = [1, 1, 2, 5, 3].map((seq) => world.frame(intent, seq, "x"));
    expect(given.map((input) => outcomeOf(world.one(input)))).toEqual([
      "taken",
      "dropped",
      "taken",
      "taken",
      "dropped",
    ]);
    expect(log(world)).toEqual(["book", "frame 1", "frame 2", "frame 5"]);
    expect(reasons(world)).toEqual(["stream.non_monotonic", "stream.non_monotonic"]);
    expect(world.records("workflow.stream_gap")).toMatchObject([
      { expected_seq: 3, observed_seq: 5, intent_hash: intent.hash, machine: "shop/order@1" },
    ]);
    expect(world.whyReplayDiffers()).toBeNull();
  });

  test("[M.V-9] the cursor survives a snapshot, so that a repetition is one afterwards too", () => {
    const { world, intent } = started();
    world.one(world.frame(intent, 3, "x"));
    world.kernel = world.restored();
    expect(outcomeOf(world.one(world.frame(intent, 3, "x")))).toBe("dropped");
    expect(outcomeOf(world.one(world.frame(intent, 4, "x")))).toBe("taken");
    expect(world.whyReplayDiffers()).toBeNull();
  });

  test("[M.V-10] [M.V-9] they settle nothing, and after the receipt nobody has them", () => {
    const { world, intent } = started();
    world.one(world.frame(intent, 1, "x"));
    expect(world.status("order", "1")).toBe("waiting");
    world.settle(intent, "ok", { ref: "r" });
    expect(outcomeOf(world.one(world.frame(intent, 2, "x")))).toBe("dropped");
    const stranger = { ...world.frame(intent, 1, "x"), intentHash: new Uint8Array(32) };
    expect(outcomeOf(world.one(stranger))).toBe("dropped");
    expect(reasons(world)).toEqual(["stream.unknown_intent", "stream.unknown_intent"]);
    expect(log(world)).toEqual(["book", "frame 1", "receipt ok of book"]);
    expect(world.whyReplayDiffers()).toBeNull();
  });

  test("[M.V-9] any field that is not the recorded origin's is a mismatch", () => {
    const { world, intent } = started();
    const good = world.frame(intent, 1, "x");
    const other = contentHash("other");
    const wrong: Partial<FrameInput["identity"]>[] = [
      { machine: "shop/other@1" },
      { machineHash: other },
      { key: encodeCanonical("2") },
      { key: null },
      { effect: "http/look@1" },
      { effectHash: other },
      { module: "mail" },
      { moduleHash: other },
      { entrypoint: "look" },
      { emittedAtSeq: 9 },
    ];
    for (const change of wrong) {
      const identity = { ...good.identity, ...change };
      expect(outcomeOf(world.one({ ...good, identity }))).toBe("dropped");
    }
    expect(new Set(reasons(world))).toEqual(new Set(["stream.identity_mismatch"]));
    expect(log(world)).toEqual(["book"]);
    const forged = { ...good, payload: encodeCanonical("y") };
    world.one(forged);
    expect(reasons(world).at(-1)).toBe("stream.signature_wrong");
    expect(outcomeOf(world.one(good))).toBe("taken");
    expect(world.whyReplayDiffers()).toBeNull();
  });

  test("a machine that takes no frames is not woken by them", () => {
    const event = variant({ Placed: ref("order.placed"), ...receiptArm });
    const { world, intent } = started(orderSet({ event }));
    expect(outcomeOf(world.one(world.frame(intent, 1, "x")))).toBe("dropped");
    expect(reasons(world)).toEqual(["stream.not_taken"]);
    expect(log(world)).toEqual(["book"]);
    expect(world.whyReplayDiffers()).toBeNull();
  });
});
