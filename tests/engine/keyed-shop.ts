import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { http } from "@holdfast/connectors";
import { encodeCanonical, type Store } from "@holdfast/core";
import { AccountRests, ConnectedWorld, operationKindsOf, realTimers } from "@holdfast/host";
import type { Sandbox } from "@holdfast/sandbox";
import { onTestFinished } from "vitest";
import { WorkflowInTest, type WorldInTest } from "./workflow-in-test.ts";

type Order = { readonly id: string; readonly ref?: string };

const keyHeader = "idempotency-key";

/** A shop over TCP that tells repeats by one header, finds orders by `ref`, and loses answers. */
export class KeyedShop {
  readonly orders: Order[] = [];
  /** Orders and repeats, as they came. */
  postCount = 0;
  /** So many answers are yet to be cut off, with the order in the books. */
  lossCount = 1;
  /** It shows nothing of what it has. */
  isBlind = false;
  onLoss: () => void = () => {};
  readonly #keys = new Set<string>();
  readonly #server = createServer((request, response) => void this.#serve(request, response));

  static async start(): Promise<KeyedShop> {
    const shop = new KeyedShop();
    const server = shop.#server;
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return shop;
  }

  /** With an account of it. */
  world(account: object, now: () => number): WorldInTest {
    const baseUrl = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    const whole = { connector: "http", baseUrl, allowPrivateAddresses: true, ...account };
    const connections = new Map([["shop", http.connect("shop", whole)]]);
    const parts = { connections, rests: new AccountRests(), now, timers: realTimers };
    const world = new ConnectedWorld({ ...parts, random: () => 0.5 });
    return Object.assign(world, { connections: operationKindsOf(connections), onDeath: () => {} });
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { searchParams } = new URL(request.url ?? "", "http://shop");
    if (request.method === "GET") {
      const asked = searchParams.get("ref");
      const orders = this.isBlind ? [] : this.orders.filter(({ ref }) => ref === asked);
      return answer(response, 200, { orders });
    }
    const order = (await json(request)) as Order;
    const key = request.headers[keyHeader];
    this.postCount += 1;
    if (typeof key !== "string" || !this.#keys.has(key)) this.orders.push(order);
    if (typeof key === "string") this.#keys.add(key);
    if (this.lossCount === 0) return answer(response, 201, order);
    this.lossCount -= 1;
    this.onLoss();
    request.socket.destroy();
  }
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

const source = `
  import { workflow } from "@holdfast/sdk";
  export default workflow({
    name: "orders",
    connections: { shop: { connector: "http", account: "shop" } },
    topics: { orders: {} },
    producers: { poll: { manual: true, publishes: ["orders"], handler: async () => {} } },
    consumers: {
      book: {
        subscribe: ["orders"],
        prepare: async (ctx) => {
          const [event] = await ctx.peek("orders", { limit: 1 });
          if (!event) return { reservations: [], data: {} };
          const reservations = [{ topic: "orders", ids: [event.messageId] }];
          return { reservations, data: { id: event.messageId } };
        },
        mutate: async (ctx, prepared) => {
          await ctx.shop.post({ path: "/orders", body: prepared.data });
        },
      },
    },
  });`;

/** One order of a workflow, of which nothing was sent yet. */
export class KeyedOrder {
  readonly it: WorkflowInTest;
  readonly #shop: KeyedShop;
  #world: WorldInTest;

  private constructor(it: WorkflowInTest, shop: KeyedShop) {
    this.it = it;
    this.#shop = shop;
    this.#world = it.world;
    it.wayOut = (given) => new Proxy(given, { get: (_, name) => this.#member(name) });
  }

  /** Of the world of now, as a host that has read its accounts again asks it. */
  #member(name: string | symbol): unknown {
    const world = this.#world;
    const member: unknown = Reflect.get(world, name, world);
    return typeof member === "function" ? member.bind(world) : member;
  }

  static async open(
    sandbox: Sandbox,
    shop: KeyedShop,
    parts: { readonly store: Store; readonly clock: { now: number }; readonly account: object },
  ): Promise<KeyedOrder> {
    const { store, clock, account } = parts;
    const world = shop.world(account, () => clock.now);
    const it = await WorkflowInTest.create({ store, sandbox, world, clock }, source);
    const event = { topic: "orders", messageId: "a", payload: encodeCanonical({}), title: null };
    await it.command("publish_event", event);
    return new KeyedOrder(it, shop);
  }

  /** As after an edit of the accounts file. */
  changeAccount(account: object): void {
    this.#world = this.#shop.world(account, () => this.it.now);
  }

  /** As by a host from before it was recorded how calls are keyed. */
  forgetKeyed(): void {
    const world = this.#world;
    const describe: WorldInTest["describe"] = (call) => {
      const described = world.describe(call);
      if ("class" in described) return described;
      const { keyed: _, ...before } = described;
      return before;
    };
    const { connections, onDeath } = world;
    this.#world = {
      ...{ connections, onDeath, describe },
      read: (call, signal) => world.read(call, signal),
      send: (call, mayGo, signal) => world.send(call, mayGo, signal),
      reconcile: (call, signal) => world.reconcile(call, signal),
    };
  }

  async calls() {
    const calls = await this.it.rows("mutations");
    return calls.map(({ state, sendCount }) => `${state}, sent ${sendCount}`);
  }

  /** Hosts live for as long as one would be at it. */
  async untilKnown(): Promise<void> {
    for (let lives = 0; lives < 30; lives++) {
      await this.it.live();
      this.it.now += 600_000;
    }
  }
}
