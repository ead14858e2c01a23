import {
  findQuestion,
  listAttention,
  listMutations,
  listOutputs,
  listRuns,
  showMutation,
  whyOf,
} from "@holdfast/host";
import { expect, test } from "vitest";
import { OrderShop, sandboxOfFile } from "./order-shop.ts";
import { bookOneByOne, orderSource } from "./order-workflow.ts";
import { Fails } from "./scripted-world.ts";

const sandbox = sandboxOfFile();
const first = { after: null, limit: 10 } as const;

async function open(consumer: string = bookOneByOne) {
  const shop = new OrderShop();
  const it = await shop.open(sandbox(), { source: orderSource(consumer) });
  return { it, shop };
}

test("[R36, S59] a title is the script's; the call beside it is shown as it is", async () => {
  const said = '"Book order " + event.messageId';
  const { it, shop } = await open(bookOneByOne.replace(said, '"Nothing to worry about"'));
  shop.book = () => {
    throw new Fails("indeterminate", "no answer");
  };
  await it.live();
  const { items } = await listAttention(it.store, it.workflow, { ...first, status: "open" });
  expect(items).toMatchObject([
    {
      note: expect.stringContaining("shop.bookOrder on"),
      call: {
        title: "Nothing to worry about",
        operation: "shop.bookOrder",
        params: { id: "a", sum: 10 },
      },
    },
  ]);
  expect(items[0]?.note).not.toContain("Nothing to worry about");
});

test("[R59] a list leaves large parameters out, and the page of one has them whole", async () => {
  const note = '"x".repeat(20000)';
  const { it, shop } = await open(
    bookOneByOne.replace("sum: prepared.data.sum }", `sum: prepared.data.sum, note: ${note} }`),
  );
  shop.book = () => {
    throw new Fails("indeterminate", "no answer");
  };
  await it.live();
  let blobsRead = 0;
  const watched = new Proxy(it.store, {
    get: (store, name) => {
      if (name === "loadBlob") blobsRead += 1;
      const found: unknown = Reflect.get(store, name, store);
      return typeof found === "function" ? found.bind(store) : found;
    },
  });
  const calls = await listMutations(watched, it.workflow, { ...first, state: null });
  const asked = await listAttention(watched, it.workflow, { ...first, status: "open" });
  for (const call of [calls.items[0], asked.items[0]?.call]) {
    expect(call).toMatchObject({ params: null, paramsCut: expect.any(Number) });
    expect(call?.paramsCut).toBeGreaterThan(20_000);
  }
  expect(blobsRead).toBe(0);
  const params = { id: "a", sum: 10, note: "x".repeat(20_000) };
  const whole = { params, paramsCut: null };
  const { mutationId = "" } = calls.items[0] ?? {};
  expect(await showMutation(it.store, it.workflow, mutationId)).toMatchObject(whole);
  const { attentionId = "" } = asked.items[0] ?? {};
  expect((await findQuestion(it.store, it.workflow, attentionId))?.call).toMatchObject(whole);
});

test("[R36] without a title there is none: what was done is said by the host alone", async () => {
  const { it } = await open(bookOneByOne.replace(/ui: \{ title: .*? \},/, ""));
  await it.live();
  const query = { ...first, kind: "mutation" } as const;
  const { items } = await listOutputs(it.store, it.workflow, query);
  expect(items).toHaveLength(3);
  for (const item of items) {
    expect(item).toMatchObject({ title: null, operation: "shop.bookOrder" });
  }
});

test("[R140] the outside may change between prepare and send: both times are shown", async () => {
  const { it, shop } = await open();
  await it.command("set_brake", { operation: "shop.bookOrder", reason: "later" });
  await it.live();
  shop.orders = shop.orders.map((order) => ({ ...order, sum: order.sum + 1 }));
  const hour = 3_600_000;
  it.now += hour;
  expect(await it.ask("release_brake", { operation: "shop.bookOrder" })).toBe("done");
  // What was prepared goes out, and no other workflow was kept from anything meanwhile.
  expect(shop.world.sent[0]?.params).toEqual({ id: "a", sum: 10 });
  const { items } = await listRuns(it.store, it.workflow, { ...first, status: null });
  const oldest = items.filter(({ mutationId }) => mutationId !== null).at(-1);
  const why = await whyOf(it.store, it.workflow, oldest?.runId ?? "", it.now);
  const call = why.kind === "explained" ? why.why.run?.calls[0] : undefined;
  expect((call?.firstSentAt ?? 0) - (oldest?.preparedAt ?? 0)).toBe(hour);
});

test("[R111] a mistake of the host is a question that blames no script", async () => {
  const { it, shop } = await open();
  shop.list = () => {
    throw new Error("a bug of ours");
  };
  await it.live();
  expect(await it.openRun()).toMatchObject({
    status: "failed:internal",
    failure: { class: "internal", message: expect.stringContaining("a bug of ours") },
  });
  const { items } = await listAttention(it.store, it.workflow, { ...first, status: "open" });
  expect(items).toMatchObject([{ kind: "run_failed", answers: ["retry", "stop"] }]);
  expect(items[0]?.why).toContain("the script is not to blame");
  it.now += 86_400_000;
  await it.live();
  expect(shop.world.reads).toHaveLength(1);
});
