import {
  findQuestion,
  listAttention,
  listMutations,
  listOutputs,
  listRuns,
  showMutation,
  whyOf,
} from "@holdfast/host";
import { describe, expect, test } from "vitest";
import { bookGrants } from "./granted-workflow.ts";
import { type OpenStore, openStores } from "./open-stores.ts";
import { OrderShop, sandboxOfFile } from "./order-shop.ts";
import { bookOneByOne, orderSource } from "./order-workflow.ts";
import { Fails } from "./scripted-world.ts";

const sandbox = sandboxOfFile();
const first = { after: null, limit: 10 } as const;

async function open(consumer: string = bookOneByOne, store: OpenStore = openStores.SQLite) {
  const shop = new OrderShop();
  const it = await shop.open(sandbox(), { source: orderSource(consumer), store });
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
        preview: 'shop.bookOrder {"id":"a","sum":10}',
        operation: "shop.bookOrder",
        params: { id: "a", sum: 10 },
      },
      check: expect.stringContaining("shop.bookOrder with these params"),
    },
  ]);
  expect(items[0]?.note).not.toContain("Nothing to worry about");
  expect(items[0]?.check).not.toContain("Nothing to worry about");
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

describe.each(Object.entries(openStores))("what a call is called, on %s", (_, store) => {
  const query = { ...first, kind: "mutation" } as const;
  const untitled = bookOneByOne.replace(/ui: \{ title: .*? \},/, "");

  test("[R36] without a title there is none: what was done is said by the host alone", async () => {
    const { it } = await open(untitled, store);
    await it.live();
    const { items } = await listOutputs(it.store, it.workflow, query);
    expect(items).toHaveLength(3);
    for (const item of items) {
      expect(item).toMatchObject({
        title: null,
        operation: "shop.bookOrder",
        preview: expect.stringMatching(/^shop\.bookOrder \{"id":"[abc]","sum":[123]0\}$/),
      });
    }
    const calls = await listMutations(it.store, it.workflow, { ...first, state: null });
    expect(calls.items.map(({ preview }) => preview)).toEqual(
      items.map((item) => ("preview" in item ? item.preview : null)),
    );
    await it.expectSound();
  });

  test("[R36] the host's words stand beside the script's title", async () => {
    const { it } = await open(bookOneByOne, store);
    await it.live();
    const { items } = await listOutputs(it.store, it.workflow, query);
    for (const item of items) {
      expect(item).toMatchObject({
        title: expect.stringMatching(/^Book order/),
        preview: expect.stringMatching(/^shop\.bookOrder \{"id":"[abc]","sum":[123]0\}$/),
      });
    }
    expect(items).toHaveLength(3);
  });

  test("[R36] where a person is asked, the host's words are kept with that", async () => {
    const asked = await open(untitled, store);
    await asked.it.command("set_envelope", { grants: bookGrants({ say: "ask" }) });
    await asked.it.live();
    const [call] = await asked.it.rows("mutations");
    expect(call).toMatchObject({ preview: null, approval: { preview: expect.any(String) } });
    const { items } = await listMutations(asked.it.store, asked.it.workflow, {
      ...first,
      state: null,
    });
    expect(items[0]?.preview).toBe(call?.approval?.preview);
  });

  test("[R36] what a connector says of a call cannot keep it from being recorded", async () => {
    const { it, shop } = await open(untitled, store);
    it.wayOut = (world) => ({
      read: (...given) => world.read(...given),
      send: (...given) => world.send(...given),
      reconcile: (...given) => world.reconcile(...given),
      describe: (call) => {
        const described = world.describe(call);
        return "class" in described ? described : { ...described, preview: "a\u0000\ud800b" };
      },
    });
    await it.live();
    expect(shop.booked).toEqual(["a", "b", "c"]);
    const [call] = await it.rows("mutations");
    expect(call?.preview).toMatch(/^a.*b$/);
  });
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
