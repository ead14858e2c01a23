import { expect, onTestFinished, test } from "vitest";
import { Desk, patience } from "./desk.ts";
import { HostProcess, newFolder, writeAccounts } from "./host-process.ts";
import { OrderShop } from "./order-shop.ts";
import { places } from "./stores.ts";
import { script } from "./story.ts";

const workflows = ["east", "north", "west"];

type Group = {
  readonly digest: string;
  readonly items: readonly { readonly workflow: string }[];
};

test("[R90, R93] many calls are agreed to at once, exactly those that were shown", async () => {
  const shop = await OrderShop.start();
  onTestFinished(() => shop.stop());
  const accountsFile = writeAccounts(newFolder(), shop.url);
  const host = new HostProcess({ store: await places.SQLite(), accountsFile });
  onTestFinished(() => host.kill("SIGKILL"));
  const publish = async (workflow: string, id: string) => {
    const event = { topic: "order.received", messageId: id, payload: { sum: 7 }, title: null };
    const path = `/workflows/${workflow}/commands`;
    await host.api("POST", path, { kind: "publish_event", body: event });
  };
  for (const name of workflows) {
    const text = script.replace('name: "orders"', `name: "${name}"`);
    const source = { entry: "orders.ts", files: { "orders.ts": text } };
    const deployment = { source, allow: ["shop.get"], ask: ["shop.post"] };
    await host.api("POST", "/versions", deployment);
    if (name !== "west") await publish(name, `${name}-1`);
  }
  const say = async (...words: readonly string[]) => {
    const { code, out } = await host.holdfast("approve-all", "shop.post", ...words);
    return { code, out, digest: /--these (\w+)/.exec(out)?.[1] ?? "" };
  };
  await expect.poll(async () => (await say()).out, { timeout: 60_000 }).toContain("2 calls");
  const shown = await say();
  expect(shown.out).toContain('"sum":7');
  expect(shop.applied).toEqual([]);

  await publish("west", "west-1");
  await expect.poll(async () => (await say()).out, { timeout: 60_000 }).toContain("3 calls");
  const stale = await say("--these", shown.digest);
  expect([stale.code, stale.out]).toEqual([2, expect.stringContaining("nothing was agreed to")]);
  expect(shop.applied).toEqual([]);

  const own = await say("--workflow", "east");
  expect(await say("--workflow", "east", "--these", own.digest)).toMatchObject({ code: 0 });
  await expect.poll(() => shop.applied.length, { timeout: 60_000 }).toBe(1);
  const rest = await say();
  expect((await say("--these", rest.digest)).out).toContain("2 of 2 calls were agreed to");
  await expect.poll(() => shop.applied.length, { timeout: 60_000 }).toBe(3);
  expect([...shop.counts.values()]).toEqual([1, 1, 1]);
  expect((await say()).code).toBe(2);
  await host.stop();
});

test.each(Object.entries(places))(
  "[R90, R93, S52] on %s calls of another shape have an answer of their own",
  async (_, newStore) => {
    const desk = await Desk.open(await newStore());
    for (const name of ["orders", ...workflows]) {
      const text = script.replace('name: "orders"', `name: "${name}"`);
      const source = { entry: "orders.ts", files: { "orders.ts": text } };
      await desk.host.api("POST", "/versions", { source, ask: ["shop.post"] });
      const payload = { sum: name === "east" || name === "west" ? "seven" : 7 };
      const event = { topic: "order.received", messageId: name, payload, title: null };
      const path = `/workflows/${name}/commands`;
      await desk.host.api("POST", path, { kind: "publish_event", body: event });
    }
    const shown = () => desk.say("approve-all", "shop.post", "--json");
    const groups = async () => {
      const [, json = "{}"] = /^0 (.*)/s.exec(await shown()) ?? [];
      const found = (JSON.parse(json) as { groups?: readonly Group[] }).groups ?? [];
      return found.map(({ digest, items }) => ({
        digest,
        names: items.map((each) => each.workflow),
      }));
    };
    const names = async () => (await groups()).map((each) => each.names.toSorted());
    await expect.poll(names, patience).toEqual(
      expect.arrayContaining([
        ["north", "orders"],
        ["east", "west"],
      ]),
    );
    await desk.crash();
    await expect.poll(names, patience).toHaveLength(2);
    const words = await desk.say("approve-all", "shop.post");
    expect(words).toContain('2 calls of one shape; the same in all: {"/body/sum":7,');
    expect(words).toContain("different: /body/id, /ref");
    const digestOf = async (name: string) =>
      (await groups()).find((each) => each.names.includes(name))?.digest ?? "";
    const odd = ["--these", await digestOf("east")];
    const reject = ["reject-all", "shop.post", "--reason", "no sum", "--then", "skip"];
    expect(await desk.say(...reject)).toContain("For exactly these: holdfast reject-all shop.post");
    expect(await desk.say(...reject, ...odd)).toContain("2 of 2 calls were rejected");
    const even = ["--these", await digestOf("north")];
    expect(await desk.say("approve-all", "shop.post", ...even)).toContain("2 calls were agreed to");
    await desk.booked(7, 7);
    expect(await desk.say(...reject, ...odd)).toMatch(/^2 /);
    await desk.host.stop();
  },
);
