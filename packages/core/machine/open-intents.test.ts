import { describe, expect, test } from "vitest";
import { encodeCanonical } from "../canonical/index.ts";
import type { Admission } from "./input.ts";
import { MachineWorld } from "./testing/machine-world.ts";
import { orderStep } from "./testing/order-step.ts";
import { orderSet } from "./testing/sample-set.ts";

const orders = (limits = {}) =>
  new MachineWorld({ declaration: orderSet(), steps: { order: orderStep }, limits });
const say = (world: MachineWorld, word: string, id = "1") =>
  world.send("order.placed", { id, say: word });
const outcomeOf = (answer: Admission): string => (answer.ok ? answer.outcome : answer.code);
const log = (world: MachineWorld, id = "1") =>
  (world.state("order", id) as { log: readonly string[] } | undefined)?.log;

describe("limits on what is open", () => {
  const limits = ["openIntentsMax", "openIntentsPerCellMax", "openIntentsPerEffectMax"];

  test.each(limits)(
    "[M.E-12] over %s an effect is refused on record, and the step hears of it",
    (limit) => {
      const world = orders({ [limit]: 1 });
      say(world, "twice");
      expect(world.open()).toHaveLength(1);
      expect(world.records("workflow.over_capacity")).toMatchObject([
        { machine: "shop/order@1", key: encodeCanonical("1"), limit },
      ]);
      expect(log(world)).toEqual(["twice", "receipt error of twice"]);
      expect(world.published.filter(({ kind }) => kind === "start")).toHaveLength(1);
      expect(world.status("order", "1")).toBe("waiting");
      world.settle(world.firstOpen(), "ok", { ref: "r" });
      say(world, "book");
      expect(world.open()).toHaveLength(1);
      expect(world.whyReplayDiffers()).toBeNull();
    },
  );

  test.each(limits)("[M.E-12] %s counts what was open before a snapshot", (limit) => {
    const world = orders({ [limit]: 1 });
    say(world, "book");
    world.kernel = world.restored();
    say(world, "book");
    expect(world.open()).toHaveLength(1);
    expect(world.records("workflow.over_capacity")).toMatchObject([{ limit }]);
    expect(world.whyReplayDiffers()).toBeNull();
  });

  test("[M.E-12] a step that asks again whenever it is refused comes to an end", () => {
    const stubborn = () => ({
      state: { log: [] },
      effects: [{ effect: "http/book@1", params: { id: "1" } }],
    });
    const world = new MachineWorld({
      declaration: orderSet(),
      steps: { order: stubborn },
      limits: { openIntentsMax: 0, cascadeLevelsMax: 4 },
    });
    world.give([world.event("order.placed", { id: "1", say: "book" })], 50);
    expect(world.records("workflow.step_fault")).toMatchObject([{ code: "step.cascade_too_deep" }]);
    expect(world.whyReplayDiffers()).toBeNull();
  });
});

describe("cancel and deadline", () => {
  test("[M.E-13] a cancel is a wish: told to whoever executes, settled by what comes", () => {
    const world = orders();
    say(world, "book");
    const intent = world.firstOpen();
    const cancel = { kind: "cancel", intentHash: intent.hash, actor: "ada" } as const;
    expect(outcomeOf(world.one(cancel))).toBe("taken");
    expect(world.published.at(-1)).toMatchObject({ kind: "cancel", intentHash: intent.hash });
    expect(world.firstOpen().cancelAsked).toBe(true);
    expect(world.records("cancel")).toMatchObject([{ actor: "ada", machine: "shop/order@1" }]);
    world.settle(intent, "error", { code: "cancelled", message: "was not sent" });
    expect(log(world)).toEqual(["book", "receipt error of book"]);
    expect(outcomeOf(world.one(cancel))).toBe("intent.settled");
    const unknown = { ...cancel, intentHash: new Uint8Array(32) };
    expect(outcomeOf(world.one(unknown))).toBe("intent.unknown");
    expect(world.whyReplayDiffers()).toBeNull();
  });

  test("a deadline counts from the event's logical time, and is not part of the hash", () => {
    const run = (deadlineMs: number | undefined) => {
      const order = () => ({
        state: { log: [] },
        effects: [{ effect: "http/look@1", params: { id: "1" }, deadlineMs }],
      });
      const world = new MachineWorld({ declaration: orderSet(), steps: { order } });
      say(world, "look");
      return world;
    };
    const [timed, free] = [run(2), run(undefined)];
    expect(timed.records("effect_intent")).toMatchObject([{ deadline_ns: 2_001_000 }]);
    expect(timed.firstOpen().id).toBe(free.firstOpen().id);
    expect(run(-1).records("workflow.step_fault")).toMatchObject([
      { code: "effect.deadline_invalid" },
    ]);
  });
});
