import { expect, test } from "vitest";
import { mutation, read, testWorkflow } from "./index.ts";
import { orderScript, shopWith } from "./testing/order-script.ts";

const connections = shopWith();

test("[R8] a script with problems is refused with code, place and hint of each", async () => {
  const text = orderScript
    .replace('subscribe: ["order.received"]', 'subscribe: ["order.recieved"]')
    .replace("messageId: id, inputId", "messageId: Math.random(), inputId");
  const opened = testWorkflow({ script: { text }, connections });
  await expect(opened).rejects.toMatchObject({ code: "script_problems" });
  const message = await opened.catch((error: Error) => error.message);
  expect(message).toMatch(
    /script\.ts cannot be deployed:\n {2}script\.ts:\d+:\d+ {2}orphan_topic\n/,
  );
  expect(message).toContain("undeclared_topic");
  expect(message).toContain("See docs/authoring.md#unstable_message_id");
});

test("[R87] operations that are not scripted are named with the place of use", async () => {
  const shop = { listOrders: read.list([]) };
  const opened = testWorkflow({ script: { text: orderScript }, connections: { shop } });
  await expect(opened).rejects.toThrow(
    /operations_not_scripted: .*\n {2}shop\.bookOrder, used in mutate of book \(script\.ts:\d+\)$/,
  );
});

test("[R38] an operation that is scripted as another kind than is used is found", async () => {
  const shop = { listOrders: mutation([]), bookOrder: mutation() };
  const opened = testWorkflow({ script: { text: orderScript }, connections: { shop } });
  await expect(opened).rejects.toThrow(/script_problems: [\s\S]*forbidden_in_phase/);
});

test("two connections of one connector may have one name for different kinds", async () => {
  const text = orderScript
    .replace("connections: {", 'connections: { mail: { connector: "http", account: "mail" },')
    .replace("ctx.shop.listOrders(", "ctx.shop.sync(")
    .replace("ctx.shop.bookOrder(", "ctx.mail.sync(");
  const shop = { sync: connections.shop.listOrders };
  const mail = { sync: connections.shop.bookOrder };
  await using it = await testWorkflow({ script: { text }, connections: { shop, mail } });
  await it.settle();
  expect(it.sent.map(({ name }) => name)).toEqual(["mail.sync", "mail.sync"]);
});

test.each([
  ["a text instead of a path", orderScript, "hand the text itself in as { text }"],
  ["a path that leads nowhere", "examples/booking/bookings.ts", "booking/bookings.ts"],
])("%s is told apart", async (_, script, says) => {
  await expect((async () => testWorkflow({ script, connections }))()).rejects.toThrow(says);
});

test("a script may have several files, or be found by its URL", async () => {
  const entry = 'import total from "./total.ts"; import { workflow } from "@holdfast/sdk";';
  const files = {
    "total.ts": "export default 1;",
    "main.ts": `${entry} export default workflow({ name: "w" + total, topics: {},
      producers: {
        p: { manual: true, handler: async (ctx) => { ctx.log("total " + total); } },
      } });`,
  };
  await using it = await testWorkflow({ script: { entry: "main.ts", files } });
  await it.runNow();
  await it.settle();
  expect(it.logs()).toEqual(["total 1"]);
  const script = new URL("../../examples/seed-forms/bare-producer.js", import.meta.url);
  const opened = testWorkflow({ script });
  await expect(opened).rejects.toThrow("sensors.recent, used in producer of readSensors");
});

test("the same seed gives the same test, and another one another", async () => {
  const text = orderScript.replace(
    'ctx.log("booking " + event.messageId)',
    "ctx.log(Math.random())",
  );
  const logsOf = async (seed: number) => {
    await using it = await testWorkflow({ script: { text }, connections, seed });
    await it.settle();
    return it.logs();
  };
  expect(await logsOf(1)).toEqual(await logsOf(1));
  expect(await logsOf(2)).not.toEqual(await logsOf(1));
});
