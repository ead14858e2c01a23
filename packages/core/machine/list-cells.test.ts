import { describe, expect, test } from "vitest";
import { encodeCanonical } from "../canonical/index.ts";
import { countInstances, type InstanceView, instancesOf, viewInstances } from "./instances.ts";
import { type CellsQuery, cellsAfter, countMachines } from "./list-cells.ts";
import { MachineWorld } from "./testing/machine-world.ts";
import { orderStep } from "./testing/order-step.ts";
import { orderSet } from "./testing/sample-set.ts";

const machine = "shop/order@1";
const any = { machine, after: null, limit: 7, lookedAtMax: 1_000, isBusy: false } as const;

const say = (world: MachineWorld, id: string, word: string) =>
  world.send("order.placed", { id, say: word });

/** Cells in every state there is, some in the index, some not, some changed since, some gone. */
function crowd(count: number): MachineWorld {
  const world = new MachineWorld({ declaration: orderSet(), steps: { order: orderStep } });
  const words = ["hello", "book", "throw", "end", "done"];
  const tell = (from: number, to: number) => {
    for (let at = from; at < to; at++) say(world, String(at), words[at % 7] ?? "hello");
  };
  tell(0, count);
  world.snapshot();
  world.kernel = world.restored();
  tell(count, count + 40);
  for (let at = 0; at < count; at += 11) say(world, String(at), "end");
  for (let at = 0; at < count; at += 13) say(world, String(at), "more");
  world.give(
    Array.from({ length: 20 }, (_, at) => {
      return world.event("order.placed", { id: `late ${at}`, say: "x" });
    }),
    3,
  );
  return world;
}

function allPages(world: MachineWorld, query: Partial<CellsQuery>): readonly InstanceView[] {
  const found: InstanceView[] = [];
  let after: Uint8Array | null = null;
  do {
    const asked: CellsQuery = { ...any, isWanted: () => true, ...query, after };
    const page = world.drive(cellsAfter(world.kernel, asked));
    expect(page.items.length).toBeLessThanOrEqual(asked.limit);
    found.push(...page.items);
    after = page.next;
  } while (after !== null);
  return found;
}

const byId = (views: readonly InstanceView[]) =>
  views.toSorted((left, right) => (left.id < right.id ? -1 : 1));

describe("cells, a page at a time", () => {
  test("[M.K7.6-1] are all there are, each once, whatever changed since the snapshot", () => {
    const world = crowd(400);
    const all = world.drive(instancesOf(world.kernel));
    expect(new Set(all.map(({ status }) => status)).size).toBe(4);
    for (const limit of [1, 7, 64, 1_000]) {
      expect(byId(allPages(world, { limit }))).toEqual(all);
    }
  });

  test("can be narrowed, and a page with nothing on it leads on", () => {
    const world = crowd(400);
    const all = world.drive(instancesOf(world.kernel));
    const isDone = ({ status }: InstanceView) => status === "completed";
    expect(byId(allPages(world, { isWanted: isDone, lookedAtMax: 3 }))).toEqual(all.filter(isDone));
    const isBusy = ({ status, mailboxCount }: InstanceView) =>
      status === "failed" || status === "waiting" || mailboxCount > 0;
    expect(byId(allPages(world, { isBusy: true }))).toEqual(all.filter(isBusy));
    const none = { ...any, lookedAtMax: 3, isWanted: () => false };
    const page = world.drive(cellsAfter(world.kernel, none));
    expect([page.items, page.next?.length]).toEqual([[], 32]);
  });

  test("[M.K7.8-4] [M.K7.8-6] named or counted they are what they are in the list", () => {
    const world = crowd(400);
    const { kernel, shelf } = world;
    const all = world.drive(instancesOf(kernel));
    const counted = Map.groupBy(all, ({ status }) => status);
    expect(world.drive(countInstances(kernel))).toEqual(
      new Map([...counted].map(([status, some]) => [status, some.length])),
    );
    const nobody = { machine, key: encodeCanonical("nobody") };
    const ended = { machine, key: encodeCanonical("11") };
    expect(all.map(({ key }) => key)).not.toContainEqual(ended.key);
    expect(world.drive(viewInstances(kernel, [nobody, ...all, ended]))).toEqual([
      null,
      ...all,
      null,
    ]);
    // A few are found without the rest, and no state is read for them.
    const far = all.filter(({ id }) => !kernel.cells.has(id)).slice(0, 3);
    shelf.loadCount = 0;
    expect(world.drive(viewInstances(world.restored(), far))).toHaveLength(3);
    expect(shelf.loadCount).toBeLessThan(20);
    for (const { id } of far) expect(kernel.cells.has(id)).toBe(false);
  });

  test("cost what is on them, not what there is", () => {
    const world = crowd(3_000);
    const { shelf } = world;
    shelf.loadCount = 0;
    world.drive(cellsAfter(world.kernel, { ...any, isWanted: () => true }));
    expect(shelf.loadCount).toBeLessThan(40);
    expect(shelf.parts.size).toBeGreaterThan(100);
  });

  test("are counted without being read", () => {
    const world = crowd(400);
    const all = world.drive(instancesOf(world.kernel));
    expect(world.drive(countMachines(world.kernel))).toEqual([
      {
        machine,
        cells: all.length,
        waiting: all.reduce((sum, { mailboxCount }) => sum + mailboxCount, 0),
        openIntents: world.open().length,
        failed: all.filter(({ status }) => status === "failed").length,
      },
    ]);
  });
});
