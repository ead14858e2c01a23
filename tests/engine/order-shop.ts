import { Sandbox } from "@holdfast/sandbox";
import { afterAll, beforeAll } from "vitest";
import { type OpenStore, openStores } from "./open-stores.ts";
import { orderSource } from "./order-workflow.ts";
import { type ScriptedOperation, ScriptedWorld } from "./scripted-world.ts";
import { WorkflowInTest } from "./workflow-in-test.ts";

type Params = Readonly<Record<string, unknown>>;

/** One sandbox for all tests of a file. */
export function sandboxOfFile(): () => Sandbox {
  let sandbox: Sandbox | null = null;
  beforeAll(async () => {
    sandbox = await Sandbox.open({ threadsMax: 2 });
  });
  afterAll(() => sandbox?.close());
  return () => {
    if (sandbox === null) throw new Error("The sandbox is opened before the first test.");
    return sandbox;
  };
}

/** A shop with three orders that can be listed, looked up and booked; a test may change it all. */
export class OrderShop {
  orders: { readonly id: string; readonly sum: number }[] = [
    { id: "a", sum: 10 },
    { id: "b", sum: 20 },
    { id: "c", sum: 30 },
  ];
  list: () => unknown = () => this.orders;
  get: (params: Params) => unknown = ({ id }) => this.orders.find((order) => order.id === id);
  weigh: (params: Params) => unknown = () => ({ used: 1 });
  book: (params: Params) => unknown = ({ id }) => ({ number: `B-${id}` });
  /** What can be relied on when the answer to a booking is lost. */
  guarantee: ReturnType<NonNullable<ScriptedOperation["guarantee"]>> = {};
  connectorVersion = "1";
  find: NonNullable<ScriptedOperation["reconcile"]> = () => ({ says: "retry", note: "not now" });
  readonly world = new ScriptedWorld({
    shop: {
      listOrders: { kind: "read:list", answer: () => this.list() },
      getOrder: { kind: "read:byId", answer: (params) => this.get(params) },
      weighOrder: { kind: "metered", answer: (params) => this.weigh(params) },
      bookOrder: {
        kind: "mutation",
        answer: (params) => this.book(params),
        guarantee: () => ({ ...this.guarantee, connectorVersion: this.connectorVersion }),
        reconcile: (params, key) => this.find(params, key),
      },
      cancelOrder: { kind: "mutation" },
    },
  });

  /** Ids in the order in which their bookings reached the shop. */
  get booked(): readonly unknown[] {
    return this.world.sent.map(({ params }) => params["id"]);
  }

  /** The workflow that works for it, deployed and not yet run. */
  async open(
    sandbox: Sandbox,
    {
      source = orderSource(),
      store: open = openStores.SQLite,
    }: { readonly source?: string; readonly store?: OpenStore } = {},
  ): Promise<WorkflowInTest> {
    const clock = { now: 1_700_000_000_000 };
    const store = await open(() => clock.now);
    return WorkflowInTest.create({ store, sandbox, world: this.world, clock }, source);
  }
}
