/** What a snapshot writes, what is read of it and when, and what is refused. */
import { describe, expect, test } from "vitest";
import {
  type CanonicalRecord,
  decodeCanonical,
  encodeCanonical,
  type Hash,
  hashText,
} from "../../canonical/index.ts";
import { hex } from "../hex.ts";
import { instancesOf } from "../instances.ts";
import { openSnapshot, takeSnapshot } from "../snapshot.ts";
import { MachineWorld } from "../testing/machine-world.ts";
import { orderStep } from "../testing/order-step.ts";
import { orderSet } from "../testing/sample-set.ts";
import { putAway } from "./resident-cells.ts";

const orders = () => new MachineWorld({ declaration: orderSet(), steps: { order: orderStep } });
const say = (world: MachineWorld, id: string, word: string) =>
  world.send("order.placed", { id, say: word });
const log = (world: MachineWorld, id: string) =>
  (world.state("order", id) as { log: readonly string[] } | undefined)?.log;
const rootsOf = (snapshot: Uint8Array) =>
  (decodeCanonical(snapshot) as CanonicalRecord)["cell_index_roots"];

/** Cells `0` to `count - 1`, each with one event, in batches as a host would serve them. */
function crowd(count: number): MachineWorld {
  const world = orders();
  for (let at = 0; at < count; at += 100) {
    const ids = Array.from({ length: Math.min(100, count - at) }, (_, n) => String(at + n));
    world.give(ids.map((id) => world.event("order.placed", { id, say: "hello" })));
  }
  return world;
}

describe("a snapshot", () => {
  test("[M.K7.7-1] writes the states and nodes that changed since the last, and no others", () => {
    const world = crowd(1_000);
    const first = world.drive(takeSnapshot(world.kernel));
    world.shelf.keep(first.parts);
    expect(first.parts.length).toBeGreaterThan(250);
    say(world, "7", "more");
    const second = world.drive(takeSnapshot(world.kernel));
    // Its state, its leaf and the root above.
    expect(second.parts).toHaveLength(3);
    world.shelf.keep(second.parts);
    expect(world.drive(takeSnapshot(world.kernel)).parts).toEqual([]);
    expect(log(world, "7")).toEqual(["hello", "more"]);
  });

  test("[M.K7.7-1] [M.K7.7-2] is taken with work open, which it holds", () => {
    const world = orders();
    say(world, "a", "book");
    world.give(
      ["a", "b", "c"].map((id) => world.event("order.placed", { id, say: "x" })),
      1,
    );
    const [open] = world.open();
    const snapshot = world.snapshot();
    const held = decodeCanonical(snapshot) as CanonicalRecord;
    expect(held["intents"]).toHaveLength(1);
    expect(held["ring"]).toHaveLength(2);
    expect(held).toMatchObject({ module_version: "script-1", format: 2 });
    expect(Number(held["seq"])).toBe(world.kernel.seq);
    world.kernel = world.restored();
    world.give([]);
    if (open === undefined) throw new Error("one is open");
    expect(world.settle(open, "ok", { ref: "r" })).toMatchObject({ outcome: "taken" });
    expect(world.settle(open, "ok", { ref: "r" })).toMatchObject({ outcome: "ignored" });
    expect(world.whyReplayDiffers()).toBeNull();
  });

  test("[M.K7.7-1] the root of the cells changes with a snapshot, and never in between", () => {
    const world = crowd(100);
    const before = rootsOf(world.snapshot());
    const root = world.kernel.roots.get("shop/order@1");
    say(world, "7", "more");
    expect(world.kernel.roots.get("shop/order@1")).toBe(root);
    expect(rootsOf(world.snapshot())).not.toEqual(before);
  });

  test("[M.K7.2-2] [M.K7.5-4] a cell that ended is gone at once, and gone from the next", () => {
    const world = crowd(100);
    world.snapshot();
    putAway(world.kernel, 0);
    say(world, "7", "end");
    expect(world.status("order", "7")).toBe("none");
    expect(world.drive(instancesOf(world.kernel))).toHaveLength(99);
    world.kernel = world.restored();
    expect(world.status("order", "7")).toBe("none");
    expect(world.drive(instancesOf(world.kernel))).toHaveLength(99);
    say(world, "7", "again");
    expect(log(world, "7")).toEqual(["again"]);
  });
});

describe("cells that are away", () => {
  test("[M.K7.5-4] [M.K7.6-1] are read when an event comes, and are what they were", () => {
    const world = crowd(300);
    world.snapshot();
    putAway(world.kernel, 0);
    expect(world.kernel.cells.size).toBe(0);
    world.shelf.loadCount = 0;
    say(world, "7", "more");
    expect(world.shelf.loadCount).toBeLessThanOrEqual(4);
    expect(world.kernel.cells.size).toBe(1);
    expect(log(world, "7")).toEqual(["hello", "more"]);
    expect(world.drive(instancesOf(world.kernel))).toHaveLength(300);
    expect(world.whyReplayDiffers()).toBeNull();
  });

  test("[M.K7.6-1] the one used longest ago goes first, and none that changed goes", () => {
    const world = crowd(3);
    world.snapshot();
    say(world, "0", "more");
    const bytesOfOne = world.kernel.residentBytes / 3;
    putAway(world.kernel, bytesOfOne * 2.5);
    expect([...world.kernel.cells.keys()]).toEqual([
      world.cellId("order", "2"),
      world.cellId("order", "0"),
    ]);
    putAway(world.kernel, 0);
    expect([...world.kernel.cells.keys()]).toEqual([world.cellId("order", "0")]);
    world.snapshot();
    putAway(world.kernel, 0);
    expect(world.kernel.residentBytes).toBe(0);
  });

  test("[M.K7.6-1] one that waits for a receipt keeps waiting, and its state is read again", () => {
    const world = orders();
    say(world, "a", "book");
    world.snapshot();
    putAway(world.kernel, 0);
    expect(world.kernel.residentBytes).toBe(0);
    expect(world.settle(world.firstOpen(), "ok", { ref: "r" })).toMatchObject({ ok: true });
    expect(log(world, "a")).toHaveLength(2);
    expect(world.whyReplayDiffers()).toBeNull();
  });

  test("[M.R-7] an intent settled before the snapshot is still known", () => {
    const world = orders();
    say(world, "a", "book");
    const open = world.firstOpen();
    world.settle(open, "ok", { ref: "r" });
    world.snapshot();
    expect(world.kernel.settled.size).toBe(0);
    expect(world.settle(open, "ok", { ref: "r" })).toMatchObject({ outcome: "ignored" });
    const cancel = { kind: "cancel", intentHash: open.hash, actor: "a" } as const;
    expect(world.one(cancel)).toMatchObject({ code: "intent.settled" });
    expect(world.whyReplayDiffers()).toBeNull();
  });

  test("a restart of one that is not failed says so, wherever it is", () => {
    const world = crowd(3);
    world.snapshot();
    putAway(world.kernel, 0);
    const restart = (id: string) =>
      ({
        kind: "restart",
        machine: "shop/order@1",
        key: encodeCanonical(id),
        poison: "drop",
        actor: "a",
      }) as const;
    expect(world.one(restart("1"))).toMatchObject({ code: "instance.not_failed" });
    expect(world.one(restart("9"))).toMatchObject({ code: "instance.unknown" });
  });
});

describe("[M.K7.7-2] what is not as it was kept is refused", () => {
  const opened = (world: MachineWorld, snapshot: Uint8Array) => () => {
    const { set } = world.kernel;
    return world.drive(openSnapshot(snapshot, { set, keys: world.keys }));
  };
  const rootPart = (snapshot: Uint8Array) => {
    const [root] = rootsOf(snapshot) as readonly { readonly hash: Uint8Array }[];
    return `sha256:${hex(root?.hash ?? new Uint8Array())}` as Hash;
  };

  test("a snapshot whose root is missing or altered", () => {
    const world = crowd(100);
    const snapshot = world.snapshot();
    const root = rootPart(snapshot);
    expect(opened(world, snapshot)).not.toThrow();
    world.shelf.parts.set(root, encodeCanonical("another"));
    expect(opened(world, snapshot)).toThrow(`state.altered: ${root}`);
    world.shelf.parts.delete(root);
    expect(opened(world, snapshot)).toThrow(`state.missing: ${root}`);
  });

  test("[M.K7.5-1] a state that is missing or altered, by the event that needs it", () => {
    const world = crowd(100);
    world.snapshot();
    const state = world.kernel.cells.get(world.cellId("order", "7"))?.state ?? new Uint8Array();
    putAway(world.kernel, 0);
    world.shelf.parts.set(hashText(state), encodeCanonical({ log: [] }));
    const before = world.journal.length;
    expect(() => say(world, "7", "x")).toThrow("state.altered");
    world.kernel = world.restored(world.replay().kernel);
    world.shelf.parts.delete(hashText(state));
    expect(() => say(world, "7", "x")).toThrow("state.missing");
    expect(world.journal).toHaveLength(before);
  });
});
