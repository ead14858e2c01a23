import { describe, expect, test } from "vitest";
import { encodeCanonical } from "../canonical/index.ts";
import type { Admission } from "./input.ts";
import { instancesOf } from "./instances.ts";
import { type StepCall, seedOf } from "./step.ts";
import { MachineWorld } from "./testing/machine-world.ts";
import { orderStep } from "./testing/order-step.ts";
import { machineOf, orderSet, record, ref } from "./testing/sample-set.ts";

const orders = () => new MachineWorld({ declaration: orderSet(), steps: { order: orderStep } });
const placed = (world: MachineWorld, id: string, say: string) =>
  world.event("order.placed", { id, say });
const say = (world: MachineWorld, id: string, ...words: readonly string[]) => {
  for (const word of words) world.one(placed(world, id, word));
};
const log = (world: MachineWorld, id: string) =>
  (world.state("order", id) as { log: readonly string[] } | null | undefined)?.log;
const outcomeOf = (answer: Admission): string => (answer.ok ? answer.outcome : answer.code);
const restart = (world: MachineWorld, id: string, poison: "redeliver" | "drop") =>
  outcomeOf(
    world.one({
      kind: "restart",
      machine: "shop/order@1",
      key: encodeCanonical(id),
      poison,
      actor: "ada",
    }),
  );

describe("cells", () => {
  test("[M.K7.1-1] [M.K7.2-2] [M.K7.3-1] each key has its own state, first none", () => {
    const world = orders();
    say(world, "a", "1", "2");
    say(world, "b", "3");
    expect([log(world, "a"), log(world, "b")]).toEqual([["1", "2"], ["3"]]);
    expect(world.drive(instancesOf(world.kernel)).map(({ id }) => id)).toEqual([
      world.cellId("order", "a"),
      world.cellId("order", "b"),
    ]);
    expect(world.cellId("order", "a")).toBe("shop/order@1::d9d9f76161");
    expect(world.whyReplayDiffers()).toBeNull();
  });

  test("[M.K7.4-2] a thousand waiting events of a cell delay another by one step", () => {
    const world = orders();
    const crowd = Array.from({ length: 1_000 }, (_, at) => placed(world, "crowd", `${at}`));
    world.give([...crowd, placed(world, "late", "x")], 2);
    expect(log(world, "late")).toEqual(["x"]);
    expect(log(world, "crowd")).toEqual(["0"]);
    world.give([placed(world, "later", "y")], 2);
    expect(log(world, "later")).toEqual(["y"]);
    world.give([]);
    expect(log(world, "crowd")).toHaveLength(1_000);
    expect(world.whyReplayDiffers()).toBeNull();
  });

  test("[M.K7.4-2] what a frame leaves to the next keeps its place in the ring", () => {
    const world = orders();
    const words = Array.from({ length: 6 }, (_, at) => `${at}`);
    const all = words.flatMap((word) => [placed(world, "a", word), placed(world, "b", word)]);
    expect(world.give(all, Number.POSITIVE_INFINITY, { leave: 5 }).isDrained).toBe(false);
    expect([log(world, "a"), log(world, "b")]).toEqual([words.slice(0, 4), words.slice(0, 3)]);
    // So few that none has its turn, until nothing more comes.
    world.give([placed(world, "a", "6")], Number.POSITIVE_INFINITY, { leave: 6 });
    expect(log(world, "b")).toHaveLength(3);
    expect(world.give([]).isDrained).toBe(true);
    expect([log(world, "a"), log(world, "b")]).toEqual([[...words, "6"], words]);
    expect(world.whyReplayDiffers()).toBeNull();
  });

  test("what would open more than a frame may has its turn in the next", () => {
    const world = orders();
    const all = Array.from({ length: 200 }, (_, at) => placed(world, `order-${at}`, "book"));
    const give = (inputs: typeof all) =>
      world.give(inputs, Number.POSITIVE_INFINITY, { opensMax: 100 });
    expect([give(all).isDrained, world.open().length]).toEqual([false, 100]);
    expect([give([]).isDrained, world.open().length]).toEqual([true, 200]);
    // Who asks for nothing waits for nobody.
    const words = Array.from({ length: 200 }, (_, at) => placed(world, `word-${at}`, "x"));
    expect(give(words).isDrained).toBe(true);
    expect(world.whyReplayDiffers()).toBeNull();
  });

  test("some have their turn in each frame, however much is open or written", () => {
    const world = orders();
    const all = Array.from({ length: 100 }, (_, at) => placed(world, `order-${at}`, "book"));
    const opened = () => {
      world.give([], Number.POSITIVE_INFINITY, { opensMax: 0 });
      return world.open().length;
    };
    world.give(all, 0);
    expect([opened(), opened()]).toEqual([64, 100]);
    const long = "x".repeat(1_000_000);
    const words = Array.from({ length: 20 }, (_, at) => placed(world, `word-${at}`, long));
    expect(world.give(words).isDrained).toBe(false);
    expect(log(world, "word-0")).toEqual([long]);
    expect(log(world, "word-1")).toBeUndefined();
    expect(world.give([]).isDrained).toBe(true);
    expect(world.whyReplayDiffers()).toBeNull();
  });

  test("[M.K7.4-1] within a cell the order is the journal's, for events and receipts alike", () => {
    const world = orders();
    say(world, "a", "book");
    const intent = world.firstOpen();
    world.give([
      placed(world, "a", "1"),
      world.frame(intent, 1, "x"),
      placed(world, "a", "2"),
      world.receipt(intent, "ok", { ref: "r" }),
      placed(world, "a", "3"),
    ]);
    expect(log(world, "a")).toEqual(["book", "1", "frame 1", "2", "receipt ok of book", "3"]);
    expect(world.whyReplayDiffers()).toBeNull();
  });

  test("[M.K7.4-3] two cells that ask for the same at once never get each other's receipt", () => {
    const world = new MachineWorld({
      declaration: orderSet(),
      steps: {
        order: (state: never, event: never) => {
          const { effects = [], ...rest } = orderStep(state, event);
          return { ...rest, effects: effects.map((each) => ({ ...each, params: { id: "same" } })) };
        },
      },
    });
    world.give([placed(world, "a", "book"), placed(world, "b", "book")]);
    const ofB = world.open().find(({ cellId }) => cellId === world.cellId("order", "b"));
    if (ofB === undefined) throw new Error("b has asked");
    expect(new Set(world.open().map(({ paramsHash }) => paramsHash)).size).toBe(1);
    world.settle(ofB, "ok", { ref: "r" });
    expect(log(world, "b")).toEqual(["book", "receipt ok of book"]);
    expect(log(world, "a")).toEqual(["book"]);
    expect([world.status("order", "a"), world.status("order", "b")]).toEqual([
      "waiting",
      "running",
    ]);
    expect(world.whyReplayDiffers()).toBeNull();
  });

  test("[M.K7.2-2] [M.I-3] null ends a cell and settles what it asked for", () => {
    const world = orders();
    say(world, "a", "book", "1");
    const intent = world.firstOpen();
    say(world, "a", "end");
    expect(world.status("order", "a")).toBe("none");
    expect(world.open()).toEqual([]);
    expect(world.published.at(-1)).toMatchObject({ kind: "withdraw", intentHash: intent.hash });
    expect(outcomeOf(world.settle(intent, "ok", { ref: "r" }))).toBe("ignored");
    expect(world.status("order", "a")).toBe("none");
    say(world, "a", "end");
    say(world, "a", "again");
    expect(log(world, "a")).toEqual(["again"]);
    expect(world.whyReplayDiffers()).toBeNull();
  });

  test("[M.I-3] events that wait are for a cell's next life, receipts are not", () => {
    const world = orders();
    say(world, "a", "book");
    const intent = world.firstOpen();
    world.give([
      placed(world, "a", "end"),
      world.receipt(intent, "ok", { ref: "r" }),
      placed(world, "a", "new"),
    ]);
    expect(log(world, "a")).toEqual(["new"]);
    expect(world.whyReplayDiffers()).toBeNull();
  });

  test("[M.I-1] [M.I-2] the status follows from what is open and what was said", () => {
    const world = orders();
    say(world, "a", "1");
    expect(world.status("order", "a")).toBe("running");
    say(world, "a", "book");
    expect(world.status("order", "a")).toBe("waiting");
    say(world, "a", "done");
    expect(world.status("order", "a")).toBe("waiting");
    world.settle(world.firstOpen(), "ok", { ref: "r" });
    expect(world.status("order", "a")).toBe("completed");
    say(world, "a", "2");
    expect(world.status("order", "a")).toBe("completed");
    say(world, "a", "throw");
    expect(world.status("order", "a")).toBe("failed");
    const [instance] = world.drive(instancesOf(world.kernel));
    expect(instance).toMatchObject({
      mailboxCount: 1,
      lastEventSeq: 11,
      moduleVersion: "script-1",
    });
    expect(world.whyReplayDiffers()).toBeNull();
  });

  test("[M.I-6] done completes and keeps the state; null completes and deletes", () => {
    const world = orders();
    say(world, "a", "done");
    say(world, "b", "1", "end");
    expect([world.status("order", "a"), log(world, "a")]).toEqual(["completed", ["done"]]);
    expect(world.status("order", "b")).toBe("none");
  });
});

describe("a failed instance", () => {
  test("[M.I-5] takes nothing until a person lets it: events wait, also through a replay", () => {
    const world = orders();
    say(world, "a", "1", "throw", "2", "3");
    expect(world.stepCount).toBe(2);
    expect(log(world, "a")).toEqual(["1"]);
    expect(world.whyReplayDiffers()).toBeNull();
    expect(restart(world, "a", "drop")).toBe("taken");
    expect(log(world, "a")).toEqual(["1", "2", "3"]);
    expect(world.records("restart")).toMatchObject([{ poison: "drop", actor: "ada" }]);
    expect(restart(world, "a", "drop")).toBe("instance.not_failed");
    expect(restart(world, "nobody", "drop")).toBe("instance.unknown");
    expect(world.whyReplayDiffers()).toBeNull();
  });

  test("[M.I-5] gets the event that failed it again if it is to be redelivered", () => {
    const world = orders();
    say(world, "a", "throw", "2");
    restart(world, "a", "redeliver");
    expect(world.records("workflow.step_fault")).toHaveLength(2);
    expect(world.status("order", "a")).toBe("failed");
    expect(world.whyReplayDiffers()).toBeNull();
    const mended = new MachineWorld({ declaration: orderSet(), steps: { order: "killed" } });
    say(mended, "a", "1", "2");
    expect(mended.records("step_killed")).toMatchObject([{ outside: true, reason: "wall" }]);
    expect(mended.status("order", "a")).toBe("failed");
    mended.steps = { order: orderStep };
    restart(mended, "a", "redeliver");
    expect(log(mended, "a")).toEqual(["1", "2"]);
    expect(mended.whyReplayDiffers()).toBeNull();
  });

  test("[M.I-5] a restart after a bad receipt drops no event that did nothing wrong", () => {
    const event = { type: "variant", arms: { Placed: ref("order.placed") } } as const;
    const world = new MachineWorld({
      declaration: orderSet({ event }),
      steps: { order: orderStep },
    });
    say(world, "a", "book");
    world.settle(world.firstOpen(), "ok", { ref: "r" });
    say(world, "a", "innocent");
    expect(world.status("order", "a")).toBe("failed");
    restart(world, "a", "drop");
    expect(log(world, "a")).toEqual(["book", "innocent"]);
    expect(world.whyReplayDiffers()).toBeNull();
  });

  test("[M.I-2] keeps what it asked for open, and is still failed: the receipt waits", () => {
    const world = orders();
    say(world, "a", "book", "throw");
    expect([world.open().length, world.status("order", "a")]).toEqual([1, "failed"]);
    world.settle(world.firstOpen(), "ok", { ref: "r" });
    expect(log(world, "a")).toEqual(["book"]);
    restart(world, "a", "drop");
    expect(log(world, "a")).toEqual(["book", "receipt ok of book"]);
    expect(world.whyReplayDiffers()).toBeNull();
  });
});

describe("context", () => {
  test("[M.W-3] [M.W-4] [M.C-14] says moment, machine and key, if declared", () => {
    const seen: { [name: string]: unknown }[] = [];
    const look = (_state: unknown, _event: unknown, ctx: { [name: string]: unknown }) => {
      seen.push(ctx);
      return { state: { log: [] } };
    };
    const keyed = machineOf({
      name: "keyed",
      event: ref("order.placed"),
      context: true,
      key: { type: "text" },
      subscribe: [{ topic: "order.placed", key: "id" }],
    });
    const plain = machineOf({
      name: "plain",
      event: ref("order.placed"),
      subscribe: [{ topic: "order.placed", key: null }],
    });
    const world = new MachineWorld({
      declaration: { ...orderSet(), machines: [keyed, plain] },
      steps: { keyed: look, plain: look },
    });
    world.nowNs = 5_000n;
    world.send("order.placed", { id: "1", say: "" });
    world.nowNs = 4_000n;
    world.send("order.placed", { id: "1", say: "" });
    const machine = world.kernel.set.machines.get("shop/keyed@1");
    expect(seen[0]).toEqual({
      key: "1",
      nowNs: 5_000n,
      logicalNowNs: 5_000n,
      height: 2,
      entropy: expect.any(Uint8Array),
      eventHash: expect.stringMatching(/^sha256:/),
      manifestHash: world.kernel.set.manifestHash,
      machine: "shop/keyed@1",
      machineHash: machine?.hash,
    });
    expect(seen[2]).toEqual({ key: null });
    expect(seen[4]).toMatchObject({ nowNs: 4_000n, logicalNowNs: 5_000n, height: 5 });
    expect(seen[0]?.["entropy"]).toHaveLength(64);
    const live = seen.splice(0);
    expect(world.replay().ok).toBe(true);
    expect(seen).toEqual(live);
  });

  test("chance differs from cell to cell, also for one event, and repeats with it", () => {
    const call = { entropy: new Uint8Array(64), machine: "shop/order@1" };
    const seed = (given: object = {}, key = "1") => {
      const event = { schema: "s", value: new Uint8Array(), key: encodeCanonical(key) };
      return Buffer.from(seedOf({ ...call, event, ...given } as StepCall)).toString("hex");
    };
    const other = { entropy: new Uint8Array(64).fill(1) };
    expect(seed()).toBe(seed());
    expect(new Set([seed(), seed({}, "2"), seed({ machine: "x/y@1" }), seed(other)]).size).toBe(4);
  });

  test("[M.C-14] a sample without 64 bytes of entropy is a bug, and not written", () => {
    const world = orders();
    const count = world.journal.length;
    world.sample = () => ({ nowNs: 1n, entropy: new Uint8Array(63) });
    expect(() => world.send("order.placed", { id: "1", say: "x" })).toThrow("64 bytes");
    expect(world.kernel.seq).toBe(count);
  });

  test("[M.C-15] what a step causes is stamped from what caused it, and each differently", () => {
    const stamps: { [name: string]: unknown }[] = [];
    const world = new MachineWorld({
      declaration: {
        topics: [
          { name: "a", schema: record({}) },
          { name: "b", schema: record({}) },
        ],
        machines: [
          machineOf({ name: "first", event: ref("a"), subscribe: [{ topic: "a", key: null }] }),
          machineOf({
            name: "second",
            event: ref("b"),
            context: true,
            subscribe: [{ topic: "b", key: null }],
          }),
        ],
      },
      steps: {
        first: () => ({
          state: { log: [] },
          events: [
            { topic: "b", payload: {} },
            { topic: "b", payload: {} },
          ],
        }),
        second: (_state: unknown, _event: unknown, ctx: { [name: string]: unknown }) => {
          stamps.push(ctx);
          return { state: { log: [] } };
        },
      },
    });
    world.nowNs = 9_000n;
    world.send("a", {});
    const [one, , two] = stamps;
    expect([one?.["nowNs"], two?.["nowNs"]]).toEqual([9_000n, 9_000n]);
    expect([one?.["height"], two?.["height"]]).toEqual([4, 5]);
    expect(one?.["entropy"]).not.toEqual(two?.["entropy"]);
    const live = stamps.splice(0);
    expect(world.replay().ok).toBe(true);
    expect(stamps).toEqual(live);
  });
});
