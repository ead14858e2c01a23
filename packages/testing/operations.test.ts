import { expect, test } from "vitest";
import { fails, inTurn, metered, read, testWorkflow } from "./index.ts";

const text = `
  import { workflow } from "@holdfast/sdk";
  export default workflow({
    name: "weighing",
    connections: { shop: { connector: "http", account: "shop" } },
    topics: { weighed: { observed: true } },
    producers: { weigh: { publishes: ["weighed"], schedule: { interval: "1h" },
      handler: async (ctx) => {
        const { bill } = await ctx.shop.weigh({ id: "a" });
        await ctx.shop.look({});
        await ctx.publish("weighed", { messageId: "a", bill });
      } } },
  });`;

test("[C28] a metered call in a test is paid for once, however often it is tried", async () => {
  const weigh = metered((_, { callsBefore }) => ({ bill: callsBefore + 1 }));
  const look = read.list(inTurn(fails("transient"), fails("transient"), []));
  await using it = await testWorkflow({ script: { text }, connections: { shop: { weigh, look } } });
  await it.settle();
  await it.advance("30m");
  expect(it.events("weighed")).toMatchObject([{ payload: { bill: 1 } }]);
  expect(it.reads.map(({ name }) => name)).toEqual([
    "shop.weigh",
    "shop.look",
    "shop.look",
    "shop.look",
  ]);
});
