import { expect, test } from "vitest";
import { encodeCanonical } from "../canonical/index.ts";
import type { Kernel } from "./kernel.ts";
import { OlderCells } from "./older-cells.ts";
import { MachineWorld } from "./testing/machine-world.ts";
import { orderStep } from "./testing/order-step.ts";
import { type OrderEvent, orderSet } from "./testing/sample-set.ts";

const orders = () => new MachineWorld({ declaration: orderSet(), steps: { order: orderStep } });
const placed = (world: MachineWorld, id: string, word: string) =>
  world.event("order.placed", { id, say: word });
const say = (world: MachineWorld, id: string, word: string) => world.one(placed(world, id, word));

/** All that the kernel has is from before; `marks` is what was kept since. */
function restore(world: MachineWorld, marks: readonly string[] = []): OlderCells {
  const older = new OlderCells(world.kernel.seq, marks);
  world.kernel.older = older;
  return older;
}

/** Whether the newest intent of a cell is older. */
function isOlder({ kernel }: { readonly kernel: Kernel }, id: string): boolean | undefined {
  const key = Buffer.from(encodeCanonical(id)).toString("hex");
  const own = [...kernel.intents.values()].filter(({ cellId }) => cellId.endsWith(`::${key}`));
  const newest = own.at(-1);
  return newest && kernel.older?.isOlder(newest);
}

test("[R160] the calls of a cell from before are older, on a newer event too", () => {
  const world = orders();
  say(world, "before", "hello");
  restore(world);
  for (const word of ["hello", "book"]) say(world, "before", word);
  say(world, "after", "book");
  expect([isOlder(world, "before"), isOlder(world, "after")]).toEqual([true, false]);
  expect(world.whyReplayDiffers()).toBeNull();
});

test("[R160] a cell that is not at hand is known by its last event", () => {
  const world = orders();
  say(world, "before", "hello");
  world.kernel = world.restored();
  restore(world);
  say(world, "before", "book");
  expect(isOlder(world, "before")).toBe(true);
});

test("[R160] what waited in a mailbox, or is said to be older, makes a cell of it", () => {
  const world = orders();
  world.give([placed(world, "waited", "book")], 0);
  restore(world);
  world.give([{ ...placed(world, "said", "book"), older: true } as never]);
  expect([isOlder(world, "waited"), isOlder(world, "said")]).toEqual([true, true]);
});

test("[R160] an answer or a timer that was asked for before makes what comes of it older", () => {
  const step: typeof orderStep = (state, event) => {
    return orderStep(state, event.$tag === "Receipt" ? again : event);
  };
  const again = { $tag: "Placed", $value: { id: "1", say: "book" } } as OrderEvent;
  const world = new MachineWorld({ declaration: orderSet(), steps: { order: step } });
  say(world, "1", "look");
  const asked = world.firstOpen("http/look@1");
  restore(world);
  expect(world.kernel.older?.isOlder(asked)).toBe(true);
  world.settle(asked, "ok", { ref: "r" });
  expect(isOlder(world, "1")).toBe(true);
});

test("[R160] what an older cell says is older, and what is said of what waited", () => {
  const world = orders();
  say(world, "before", "hello");
  world.give([placed(world, "waited", "tell")], 0);
  restore(world);
  for (const word of ["hello", "tell"]) say(world, "before", word);
  say(world, "after", "tell");
  const said = world.published.filter((order) => order.kind === "event");
  expect(said.map(({ older }) => older)).toEqual([true, true, false]);
});

test("[R160] who comes under the key of a cell that ended is new", () => {
  const world = orders();
  say(world, "before", "hello");
  const older = restore(world);
  for (const word of ["hello", "end", "book"]) say(world, "before", word);
  expect(isOlder(world, "before")).toBe(false);
  expect(older.takeChanges()).toEqual({ added: [], removed: [] });
});

test("[R160] what is to be kept with a frame leads to the same answers in the next process", () => {
  const world = orders();
  for (const id of ["stays", "ends"]) say(world, id, "hello");
  const { through } = restore(world);
  for (const id of ["stays", "ends"]) say(world, id, "hello");
  const { added, removed } = world.kernel.older?.takeChanges() ?? { added: [], removed: [] };
  expect([added.length, removed.length]).toEqual([2, 0]);
  world.kernel = world.restored();
  world.kernel.older = new OlderCells(through, added);
  say(world, "ends", "end");
  for (const id of ["stays", "ends"]) say(world, id, "book");
  expect([isOlder(world, "stays"), isOlder(world, "ends")]).toEqual([true, false]);
  const gone = world.kernel.older.takeChanges();
  expect(gone.added).toEqual([]);
  expect(added).toContain(gone.removed[0]);
});
