import { describe, expect, test } from "vitest";
import { type CrashPoint, everyCrash, fails, inTurn, mutation, testWorkflow } from "./index.ts";
import { watchedMachines } from "./machines.ts";
import { machineScript, machineShop } from "./testing/machine-script.ts";

const script = { text: machineScript };

describe("a machine in a test", () => {
  test("[M.P-1] runs on the host: topics, cells, calls, timers and progress", async () => {
    const connections = machineShop(
      inTurn(fails("transient"), (_, { frame }) => {
        frame("half", { percent: 50 });
        return { number: 7 };
      }),
    );
    await using it = await testWorkflow({ script, connections, alwaysReplay: true });
    await it.publish("order.placed", { messageId: "m1", id: "a" });
    await it.settle();
    expect(it.cell("order", "a")).toEqual({
      ...{ machine: "orders/order@1", key: "a", status: "waiting" },
      ...{ state: { tries: 1, parts: 0 }, waiting: 0, openEffects: 1 },
    });
    await it.advance("1m");
    const state = { tries: 2, parts: 1 };
    expect(it.cells("order")).toMatchObject([{ key: "a", status: "completed", state }]);
    expect(it.sent.map(({ params, applied }) => [params, applied])).toEqual([
      [{ id: "a" }, false],
      [{ id: "a" }, true],
    ]);
    expect(it.events("order.booked")).toMatchObject([{ messageId: "a", payload: { id: "a" } }]);
  });

  test("is sent events of its own, and those that do not fit are refused at once", async () => {
    await using it = await testWorkflow({ script, connections: machineShop() });
    await it.send("order", { Placed: { id: "a" } }, { cell: "a" });
    await it.settle();
    expect(it.cell("order", "a")).toMatchObject({ status: "completed" });
    const refused = (machine: string, event: object, cell?: unknown) =>
      expect(it.send(machine, event, { cell })).rejects.toMatchObject({ code: "test_invalid" });
    await refused("nobody", {});
    await refused("order", { Placed: { id: 0.5 } }, "a");
    await refused("order", { Placed: { id: "a" } });
    await refused("order", { Receipt: {} }, "a");
  });

  test("has only the operations of a service that say their exact form", async () => {
    const connections = { shop: { book: mutation({ number: 1 }) } };
    const deployed = testWorkflow({ script, connections });
    await expect(deployed).rejects.toMatchObject({ code: "script_problems" });
  });

  test("that never rests is found", async () => {
    const ever = machineScript.replace("60000", "0");
    const connections = machineShop(fails("logic"));
    await using it = await testWorkflow({ script: { text: ever }, connections, phasesMax: 50 });
    await it.publish("order.placed", { messageId: "m1", id: "a" });
    await expect(it.settle()).rejects.toMatchObject({ code: "never_rests" });
  });

  test("whose steps are not the same again is found", async () => {
    const told: unknown[] = [];
    let count = 0;
    const machines = { run: async () => [[{ answer: ++count }]] };
    const watching = { onSteps: () => {}, onDiffers: (error: unknown) => told.push(error) };
    const watched = watchedMachines({ machines } as never, { ...watching, twice: true });
    await expect(watched.machines?.run([])).rejects.toMatchObject({ code: "replay_differs" });
    expect(told).toHaveLength(1);
    const once = watchedMachines({ machines } as never, { ...watching, twice: false });
    await expect(once.machines?.run([])).resolves.toEqual([[{ answer: 3 }]]);
  });
});

/** How often the shop was called, where the host died once. */
const afterCrash: Readonly<Record<string, number>> = {
  "before frame": 1,
  "after frame": 1,
  "before in_flight": 1,
  // Nothing was sent, which the shop says when it is asked; then the machine asks again.
  "after in_flight": 1,
  "before send": 1,
  "after send": 1,
  "before applied": 1,
  "after applied": 1,
};

describe("a host of machines that dies", () => {
  test.each(Object.entries(afterCrash))(
    "[M.P-5] %s is followed by another, and the order is booked once",
    async (point, sentCount) => {
      await using it = await testWorkflow({ script, connections: machineShop() });
      await it.publish("order.placed", { messageId: "m1", id: "a" });
      it.crashHere(point as CrashPoint);
      await it.settle();
      await it.advance("1h");
      expect(it.crashCount).toBe(1);
      expect(it.sent).toHaveLength(sentCount);
      expect(it.cell("order", "a")).toMatchObject({ status: "completed" });
      expect(it.events("order.booked")).toHaveLength(1);
    },
  );

  test("[M.P-5] [M.P-8] anywhere leads to the same end as none", async () => {
    const options = () => ({
      script,
      connections: machineShop(inTurn(fails("transient"), { number: 1 })),
    });
    const { points } = await everyCrash(options, async (it) => {
      await it.publish("order.placed", { messageId: "m1", id: "a" });
      await it.publish("order.placed", { messageId: "m2", id: "b" });
      await it.settle();
      await it.advance("1h");
    });
    expect(points.length).toBeGreaterThan(20);
  });
});
