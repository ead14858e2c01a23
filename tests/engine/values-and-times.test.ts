import { Sandbox } from "@holdfast/sandbox";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openStores } from "./open-stores.ts";
import { ScriptedWorld } from "./scripted-world.ts";
import { WorkflowInTest } from "./workflow-in-test.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await Sandbox.open({ threadsMax: 2 });
});
afterAll(() => sandbox?.close());

const script = (parts: { readonly producer?: string; readonly prepare?: string }) => `
  import { workflow } from "@holdfast/sdk";
  export default workflow({
    name: "orders",
    connections: { shop: { connector: "http", account: "shop" } },
    topics: { orders: {} },
    producers: {
      poll: {
        schedule: { interval: "1h" },
        publishes: ["orders"],
        handler: async (ctx) => { ${parts.producer ?? ""} },
      },
    },
    consumers: {
      book: {
        subscribe: ["orders"],
        prepare: async (ctx) => {
          const [event] = await ctx.peek("orders", { limit: 1 });
          if (!event) return { reservations: [], data: {} };
          await ctx.shop.look({});
          const data = ${parts.prepare ?? "{}"};
          const reservations = [{ topic: "orders", ids: [event.messageId] }];
          return { reservations, data, ui: { title: "Book" } };
        },
        mutate: async (ctx, prepared) => { await ctx.shop.book(prepared.data); },
      },
    },
  });`;

async function create(source: string, onLook: (it: WorkflowInTest) => void = () => {}) {
  const clock = { now: 1_700_000_000_000 };
  const store = await openStores.memory(() => clock.now);
  const made: { it?: WorkflowInTest } = {};
  const world = new ScriptedWorld({
    shop: {
      look: {
        kind: "read:list",
        answer: () => {
          if (made.it !== undefined) onLook(made.it);
          return null;
        },
      },
      book: { kind: "mutation", answer: () => ({ ok: true }) },
    },
  });
  const it = await WorkflowInTest.create({ store, sandbox, world, clock }, source);
  made.it = it;
  return { it, world };
}

const order = 'await ctx.publish("orders", { messageId: "o-1", n: 1 });';

describe("a value that a script may hold and a record may not", () => {
  test.each([
    ["state", script({ producer: "return { n: 2 ** 53 };" })],
    [
      "a published payload",
      script({ producer: 'await ctx.publish("orders", { messageId: "o", n: 2 ** 60 });' }),
    ],
    ["what prepare returns", script({ producer: order, prepare: "{ n: 2 ** 53 }" })],
  ])("fails the run that has it as %s, and nothing else [R112]", async (_, source) => {
    const { it, world } = await create(source);
    expect(await it.live()).toMatchObject({ kind: "resting" });
    const runs = await it.rows("runs");
    expect(runs.at(-1)).toMatchObject({ status: "failed:logic" });
    expect(await it.rows("attentions")).toMatchObject([{ kind: "run_failed" }]);
    expect(world.sent).toEqual([]);
    await it.expectSound();
  });
});

test("[R155] a send is recorded as of when it may go, however long its phases took", async () => {
  const { it } = await create(script({ producer: order }), (host) => {
    host.now += 200_000;
  });
  const before = it.now;
  await it.live();
  const [mutation] = await it.rows("mutations");
  expect(mutation?.sendBy).toBeGreaterThan(before + 200_000);
  expect(mutation?.quietFrom).toBeGreaterThan(mutation?.sendBy ?? 0);
});
