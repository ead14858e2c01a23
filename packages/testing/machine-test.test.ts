import { describe, expect, test } from "vitest";
import { makeDeployable } from "./deployable-script.ts";
import { sourceOf } from "./given-script.ts";
import { MachineTest, type MachineTestOptions, read, receipt, testMachine } from "./index.ts";
import { ordersOf } from "./orders.ts";
import { ScriptedOutside } from "./scripted-outside.ts";
import { machineScript, machineShop } from "./testing/machine-script.ts";

type State = { readonly tries: number; readonly parts: number };

const orderOptions = {
  script: { text: machineScript },
  machine: "order",
  connections: machineShop(),
};

function orderMachine() {
  return testMachine<State>(orderOptions);
}

const book = { effect: "shops/book@1", params: { connection: "shop", id: "a" } } as const;
const placed = { cell: "a", state: null, event: { Placed: { id: "a" } } } as const;
const asked = { cell: "a", state: { tries: 1, parts: 0 } } as const;
const minuteLaterNs = BigInt(Date.parse("2026-01-05T09:01:00Z")) * 1_000_000n;

/** A read whose answers may be late or unreadable, and a step that throws, forgets or lists. */
const readerScript = `
  import { continuation, machine, schema, workflow } from "@holdfast/sdk";
  const go = schema.record({ id: schema.text(), how: schema.text() });
  export default workflow({
    name: "readers",
    connections: { shelf: { connector: "shelves", account: "shelf" } },
    topics: { "read.go": { schema: go } },
    machines: {
      reader: machine({
        state: schema.record({ seen: schema.list(schema.text()) }),
        event: schema.variant({
          Go: schema.ref("read.go", go),
          Receipt: continuation.receipt,
          Rejected: continuation.rejected,
        }),
        key: schema.text(),
        annotations: schema.record({ why: schema.text() }),
        effects: ["shelves/look@1"],
        subscribe: [{ topic: "read.go", key: "id" }],
        step(before, event) {
          const seen = before === null ? [] : before.seen;
          if (event.$tag === "Rejected") {
            return { state: { seen: [...seen, event.$value.error_code] } };
          }
          if (event.$tag === "Receipt") {
            const { status, payload } = event.$value;
            const what = status === "ok" ? payload.title : status + " " + (payload?.code ?? "");
            return { state: { seen: [...seen, what] }, annotations: { why: status } };
          }
          if (event.$value.how === "throw") throw new Error("no");
          if (event.$value.how === "end") return { state: null };
          if (event.$value.how === "stranger") {
            return { state: { seen }, effects: [{ effect: "sys/blob.get@1", params: {} }] };
          }
          const params = { connection: "shelf", id: event.$value.id };
          const effects = [{ effect: "shelves/look@1", params, key: "k", deadlineMs: 500 }];
          return { state: { seen }, effects };
        },
      }),
    },
  });`;

const readerOptions: MachineTestOptions = {
  script: { text: readerScript },
  machine: "reader",
  connections: {
    shelf: {
      look: read.byId(null, {
        exact: {
          params: { id: { type: "text" } },
          result: { type: "record", fields: { title: { type: "text" } } },
        },
      }),
    },
  },
};

const go = (how: string, id = "a") => ({ Go: { id, how } });

describe("a table of steps", () => {
  test("says state, events and effects for every kind of receipt", async () => {
    const it = await orderMachine();
    await it.table([
      { ...placed, gives: { state: { tries: 1, parts: 0 }, effects: [book] } },
      {
        ...asked,
        event: receipt.ok("shops/book@1", { number: 7 }),
        gives: {
          state: { tries: 1, parts: 0 },
          events: [{ topic: "order.booked", messageId: "a", payload: { id: "a" } }],
          done: true,
        },
      },
      {
        ...asked,
        event: receipt.error("shops/book@1", { code: "transient" }),
        gives: {
          state: { tries: 1, parts: 0 },
          effects: [{ effect: "sys/timer.set@1", params: { deliver_at_ns: minuteLaterNs } }],
        },
      },
      // It takes no rejected receipts, so what nobody can read stops the cell.
      {
        ...asked,
        event: receipt.fault("shops/book@1"),
        gives: { fault: "receipt.invalid_payload" },
      },
    ]);
    const reader = await testMachine(readerOptions);
    const waiting = { cell: "a", state: { seen: [] } } as const;
    const look = "shelves/look@1";
    await reader.table([
      {
        ...{ cell: "a", state: null, event: go("read") },
        gives: {
          state: { seen: [] },
          effects: [
            {
              ...{ effect: look, params: { connection: "shelf", id: "a" } },
              ...{ key: "k", deadlineMs: 500 },
            },
          ],
        },
      },
      {
        ...{ ...waiting, event: receipt.timeout(look) },
        gives: { state: { seen: ["timeout deadline"] }, annotations: { why: "timeout" } },
      },
      {
        ...{ ...waiting, event: receipt.skipped(look) },
        gives: { state: { seen: ["skipped "] }, annotations: { why: "skipped" } },
      },
      {
        ...{ ...waiting, event: receipt.fault(look) },
        gives: { state: { seen: ["receipt.invalid_payload"] } },
      },
      { ...waiting, event: go("end"), gives: { state: null } },
      { ...waiting, event: go("throw"), gives: { fault: "step.threw" } },
      { ...waiting, event: go("stranger"), gives: { fault: "workflow.output_invalid" } },
    ]);
  });

  test("tells every row that differs, each with its place", async () => {
    const it = await orderMachine();
    const table = it.table([
      { ...placed, name: "an order", gives: { state: { tries: 2, parts: 0 }, effects: [book] } },
      { ...placed, gives: { state: { tries: 1, parts: 0 } } },
      { ...placed, gives: { fault: "step.threw" } },
      {
        ...{ ...asked, event: receipt.fault("shops/book@1") },
        gives: { state: { tries: 1, parts: 0 } },
      },
    ]);
    await expect(table).rejects.toMatchObject({ code: "step_differs" });
    await expect(table).rejects.toThrow(/an order: state\.tries is 1, expected 2/);
    await expect(table).rejects.toThrow(/row 2: effects\[0\] is .*, expected not there/);
    await expect(table).rejects.toThrow(/row 3: it went on to .*, expected the fault step\.threw/);
    await expect(table).rejects.toThrow(/row 4: it stopped with receipt\.invalid_payload/);
  });

  test("refuses rows that cannot be", async () => {
    const it = await orderMachine();
    const gives = { state: null };
    const refused = (row: object, why: RegExp) =>
      expect(it.table([{ gives, ...row } as never])).rejects.toThrow(why);
    await refused({ ...placed, state: { tries: "1" } }, /test_invalid: the state is none of its/);
    await refused({ ...placed, event: { Gone: {} } }, /does not take the event/);
    await refused({ ...placed, cell: undefined }, /event\.key_missing/);
    await refused({ ...asked, event: receipt.ok("shops/sell@1", null) }, /declares no effect/);
    await refused({ ...asked, event: receipt.timeout("shops/book@1") }, /it has no timeout/);
    await refused({ ...placed, gives: { state: { tries: -1 } } }, /no step may give/);
    await expect(testMachine({ ...orderOptions, machine: "cart" })).rejects.toThrow(
      "test_invalid: there is no machine cart; there are orders/order@1",
    );
  });

  test("shows one step, with the handle of what it asked for and at its own time", async () => {
    const it = await orderMachine();
    const event = receipt.error("shops/book@1", { code: "logic" }, { issuerRef: "x" });
    const { effects } = await it.step({ ...asked, event, at: "2026-01-05T08:59:00Z" });
    const at = BigInt(Date.parse("2026-01-05T09:00:00Z")) * 1_000_000n;
    expect(effects).toEqual([{ effect: "sys/timer.set@1", params: { deliver_at_ns: at } }]);
  });
});

describe("cells beside each other", () => {
  const look = "shelves/look@1";
  const history = (cell: string) => ({
    cell,
    given: [go("read", cell), receipt.ok(look, { title: `of ${cell}` }), go("again", cell)],
  });

  test("end in every order as they do alone, and every journal is replayed", async () => {
    const it = await testMachine(readerOptions);
    const seen: unknown[] = [];
    const { orders } = await it.everyOrder([history("a"), history("b")], (ends) => {
      seen.push(ends);
    });
    expect(orders).toBe(20);
    expect(seen).toHaveLength(20);
    for (const ends of seen) {
      expect(ends).toEqual([
        { status: "waiting", state: { seen: ["of a"] } },
        { status: "waiting", state: { seen: ["of b"] } },
      ]);
    }
  });

  test("that share one cell are found: then the order matters", async () => {
    const it = await testMachine(readerOptions);
    const given = [go("read"), receipt.ok(look, { title: "one" })];
    const other = [go("read"), receipt.ok(look, { title: "two" })];
    const tried = it.everyOrder([
      { cell: "a", given },
      { cell: "a", given: other },
    ]);
    await expect(tried).rejects.toMatchObject({ code: "order_matters" });
  });

  test("answer what was asked for: by handle or by params, or nobody waits for it", async () => {
    const it = await testMachine(readerOptions);
    const wrong = receipt.ok(look, { title: "x" }, { params: { id: "b" } });
    const tried = it.everyOrder([{ cell: "a", given: [go("read"), wrong] }]);
    await expect(tried).rejects.toThrow("waits for no such answer of shelves/look@1");
    const right = receipt.ok(look, { title: "x" }, { params: { id: "a" } });
    await it.everyOrder([{ cell: "a", given: [go("read"), right] }], (ends) => {
      expect(ends).toEqual([{ status: "running", state: { seen: ["x"] } }]);
    });
  });

  test("whose states hold their height may differ; what is checked may not", async () => {
    const it = await orderMachine();
    const given = (id: string) => [{ Placed: { id } }, receipt.ok("shops/book@1", { number: 1 })];
    const histories = ["a", "b"].map((cell) => ({ cell, given: given(cell) }));
    const { orders } = await it.everyOrder(histories, (ends) => {
      for (const { status } of ends) expect(status).toBe("completed");
    });
    expect(orders).toBe(6);
  });

  test("have all orders where they are few, and drawn ones where they are many", () => {
    expect(ordersOf([1, 2], { countMax: 5, seed: 1 })).toEqual([
      [0, 1, 1],
      [1, 0, 1],
      [1, 1, 0],
    ]);
    const drawn = ordersOf([9, 9], { countMax: 7, seed: 1 });
    expect(new Set(drawn.map((order) => order.join())).size).toBe(7);
    expect(drawn[0]).toEqual([...Array(9).fill(0), ...Array(9).fill(1)]);
    for (const order of drawn) expect(order.filter((at) => at === 0)).toHaveLength(9);
  });
});

describe("steps that are not the same again", () => {
  /** Answers as the script does, but for some calls. */
  async function fickle(...badCalls: readonly number[]) {
    const { script, connections = {} } = readerOptions;
    const outside = new ScriptedOutside(connections, () => 0);
    const { hosted } = await makeDeployable(sourceOf(script), outside);
    if (hosted.machines === undefined) throw new Error("it has a machine");
    const { machines } = hosted;
    const fault = { kind: "fault", code: "step.threw", note: "" } as const;
    let calls = 0;
    const run: typeof machines.run = async (chains) =>
      badCalls.includes(++calls) ? [[{ answer: fault, left: null }]] : machines.run(chains);
    const machine = "readers/reader@1";
    return new MachineTest({ machines: { ...machines, run }, machine, now: 0, seed: 1 });
  }
  const histories = [{ cell: "a", given: [go("read")] }];

  test("are found when a row is run twice, and when a journal is run again", async () => {
    const row = { cell: "a", state: null, event: go("read") };
    for (const badCall of [1, 2]) {
      const it = await fickle(badCall);
      await expect(it.step(row)).rejects.toMatchObject({ code: "replay_differs" });
    }
    // Twice live, twice in the replay, which agree with each other.
    const it = await fickle(3, 4);
    const again = "the machines' journal run again differs";
    await expect(it.everyOrder(histories)).rejects.toThrow(again);
    await (await fickle(5)).everyOrder(histories);
  });
});
