import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, onTestFinished, test } from "vitest";
import { HostProcess, newFolder, writeAccounts } from "./host-process.ts";
import { knock } from "./knock.ts";
import { OrderShop } from "./order-shop.ts";
import { places } from "./stores.ts";
import { deployOrders, publishOrders } from "./story.ts";

type Answers = Readonly<Record<string, { content: Record<string, { schema: object }> }>>;
type Description = {
  readonly paths: Readonly<Record<string, Record<string, { responses: Answers }>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
};
type Items = { readonly items: readonly Record<string, string>[] };

/** Orders of which one was booked and one has a lost answer, so that there is something to tell. */
async function openShop() {
  const store = await places.SQLite();
  const shop = await OrderShop.start();
  onTestFinished(() => shop.stop());
  shop.mood = (applied) => (applied === 0 ? "answers" : "drops the answer");
  const accountsFile = writeAccounts(newFolder(), shop.url);
  const host = new HostProcess({ store, accountsFile });
  onTestFinished(() => host.kill("SIGKILL"));
  await deployOrders(host);
  await publishOrders(host, ["o-1", "o-2"]);
  const open = () => host.api<Items>("GET", "/attention");
  await expect.poll(async () => (await open()).items.length, { timeout: 20_000 }).toBe(1);
  const { attentionId = "" } = (await open()).items[0] ?? {};
  const first = async (list: string) =>
    (await host.api<Items>("GET", `/workflows/orders/${list}`)).items[0] ?? {};
  const { runId = "" } = await first("runs");
  const { mutationId = "" } = await first("mutations");
  const { topic = "", messageId = "" } = await first("events?text=o-1");
  return { host, attentionId, names: { runId, mutationId, topic, messageId } };
}

/** Nothing may be told that is not described. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== "object" || schema === null) return schema;
  const parts = Object.entries(schema).map(([key, each]) => [key, closed(each)]);
  const isOpen = "properties" in schema && !("additionalProperties" in schema);
  return { ...Object.fromEntries(parts), ...(isOpen ? { additionalProperties: false } : {}) };
}

function judgeOf({ paths, components }: Description) {
  const ajv = new Ajv2020({ strict: false });
  return (path: string, status: number, body: unknown): readonly string[] => {
    const { content } = paths[path]?.["get"]?.responses[status] ?? { content: {} };
    const [media] = Object.values(content);
    if (media === undefined) return [`${status} is not described`];
    const validate = ajv.compile(closed({ ...media.schema, components }) as object);
    if (validate(body)) return [];
    return (validate.errors ?? []).map((each) => `${each.instancePath} ${each.message}`);
  };
}

const notTold = {
  // The run did not fail because of its script: there is nothing to mend.
  "/repair": 409,
  // What is published by hand has no input, a consumer no items, the workflow no machine to name.
  "{inputId}": 404,
  "/items/{id}": 404,
  "/machines/state": 422,
  "/machines/timeline": 422,
  "/machines/trace": 422,
  "/proposals/{number}": 422,
} as const;

test("the host describes itself, soundly, and answers as it says", async () => {
  const { host, attentionId, names: known } = await openShop();
  const description = await host.api<Description>("GET", "/openapi.json");
  expect(await new Validator().validate(structuredClone(description))).toMatchObject({
    valid: true,
  });
  const judge = judgeOf(description);
  const asked: string[] = [];
  for (const [path, { get }] of Object.entries(description.paths)) {
    if (get === undefined || !JSON.stringify(get.responses["200"]).includes("/json")) continue;
    const isQuestion = path.includes("/attention/");
    const id = isQuestion ? attentionId : known.runId;
    const names = { workflow: "orders", id, inputId: "none", ...known };
    const filled = Object.entries(names).reduce(
      (text, [name, value]) => text.replace(`{${name}}`, encodeURIComponent(value)),
      path,
    );
    const headers = { authorization: "Bearer a-token-for-tests" };
    const { status, text } = await knock(await host.url, { path: filled, headers });
    const others = Object.entries(notTold).find(([end]) => path.endsWith(end));
    expect([path, status]).toEqual([path, others?.[1] ?? 200]);
    if (status === 200) expect([path, judge(path, status, JSON.parse(text))]).toEqual([path, []]);
    asked.push(path);
  }
  expect(asked.length).toBeGreaterThan(28);
  expect(judge("/health", 200, { status: "ok", storeIncarnation: "a", more: 1 })).not.toEqual([]);
  await host.stop();
});
