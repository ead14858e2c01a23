/** The steps of chain-comp.ts as a table: every phase, and every way its call can end. */
import { mutation, receipt, testMachine } from "@holdfast/testing";
import { expect, test } from "vitest";

/** As the connector `http` has it. */
const exact = {
  params: {
    path: { type: "text" },
    json: { type: "option", inner: { type: "text" } },
    ref: { type: "option", inner: { type: "text" } },
  },
  result: { type: "record", fields: { status: { type: "nat" }, json: { type: "text" } } },
} as const;

const post = mutation(null, { exact });

type State = {
  readonly phase: string;
  readonly orderId: string;
  readonly amountCents: number;
  readonly done: readonly { readonly step: string; readonly note: string }[];
};

const openMachine = () =>
  testMachine<State>({
    script: new URL("chain-comp.ts", import.meta.url),
    machine: "order",
    connections: { bank: { post }, stock: { post } },
  });

const cell = "o-1";
const charging: State = { phase: "Charging", orderId: cell, amountCents: 500, done: [] };
const charged = [{ step: "charge", note: "c-7" }];
const reserving: State = { ...charging, phase: "Reserving", done: charged };
const refunding: State = { ...charging, phase: "Refunding" };
const placed = { Placed: { orderId: cell, amountCents: 500 } };

const ok = (body: object) => receipt.ok("http/post@1", { status: 201, json: JSON.stringify(body) });
const failed = receipt.error("http/post@1", { code: "precondition", message: "sold out" });
const called = (connection: string, path: string, ref: string, body: object) => ({
  effect: "http/post@1",
  params: { connection, path, ref, json: JSON.stringify(body) },
});

test("an order is charged and reserved, or the charge is taken back", async () => {
  const it = await openMachine();
  const order = { orderId: cell, amountCents: 500 };
  const refund = called("bank", "/refunds", "c-7", { chargeId: "c-7", amountCents: 500 });
  await it.table([
    {
      ...{ name: "placed", cell, state: null, event: placed },
      gives: { state: charging, effects: [called("bank", "/charges", cell, order)] },
    },
    {
      ...{ name: "placed twice", cell, state: charging, event: placed },
      gives: { state: charging },
    },
    {
      ...{ name: "charged", cell, state: charging, event: ok({ chargeId: "c-7" }) },
      gives: {
        state: reserving,
        effects: [called("stock", "/reservations", cell, { orderId: cell })],
      },
    },
    {
      ...{ name: "not charged", cell, state: charging, event: failed },
      gives: { state: { ...charging, phase: "NotCharged" }, done: true },
    },
    {
      ...{ name: "reserved", cell, state: reserving, event: ok({}) },
      gives: { state: { ...reserving, phase: "Done" }, done: true },
    },
    {
      ...{ name: "sold out", cell, state: reserving, event: failed },
      gives: { state: refunding, effects: [refund] },
    },
    {
      ...{ name: "given up", cell, state: reserving, event: receipt.skipped("http/post@1") },
      gives: { state: refunding, effects: [refund] },
    },
    {
      ...{ name: "refunded", cell, state: refunding, event: ok({}) },
      gives: { state: { ...refunding, phase: "Refunded" }, done: true },
    },
    {
      ...{ name: "not refunded", cell, state: refunding, event: failed },
      gives: { state: { ...refunding, phase: "RefundFailed" }, done: true },
    },
    {
      ...{ name: "unreadable", cell, state: refunding, event: receipt.fault("http/post@1") },
      gives: { fault: "receipt.invalid_payload" },
    },
  ]);
});

test("orders beside each other do not know of each other", async () => {
  const it = await openMachine();
  const good = { Placed: { orderId: "a", amountCents: 1 } };
  const bad = { Placed: { orderId: "b", amountCents: 2 } };
  const { orders } = await it.everyOrder(
    [
      { cell: "a", given: [good, ok({ chargeId: "c-1" }), ok({})] },
      { cell: "b", given: [bad, ok({ chargeId: "c-2" }), failed] },
    ],
    ([a, b]) => {
      expect(a).toMatchObject({ status: "completed", state: { phase: "Done" } });
      expect(b).toMatchObject({ status: "waiting", state: { phase: "Refunding" } });
    },
  );
  expect(orders).toBe(20);
});
