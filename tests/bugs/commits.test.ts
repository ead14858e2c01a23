import { validate } from "@holdfast/sandbox";
import { describe, expect, test } from "vitest";
import { ask, prepareScript, publishOrder, soon, startEngine } from "../engine/engine-in-test.ts";
import { openStores } from "../engine/open-stores.ts";
import { OrderShop, sandboxOfFile } from "../engine/order-shop.ts";
import { bookOneByOne, orderSource } from "../engine/order-workflow.ts";
import { Fails, HostDies, ScriptedWorld } from "../engine/scripted-world.ts";

const sandbox = sandboxOfFile();

describe("[B15] what a handler publishes is there with its commit, or not at all", () => {
  const twoTopics = (next: string) =>
    orderSource(
      bookOneByOne
        .replace('["order.booked"]', '["order.booked", "order.billed"]')
        .replace(/const { number } = .*;/, `const { number } = result.result; ${next}`),
    ).replace('"order.booked": {', '"order.billed": { observed: true }, "order.booked": {');
  const bill = 'await ctx.publish("order.billed", { messageId: prepared.data.id, number });';

  test("a next that fails between two topics publishes to none", async () => {
    const shop = new OrderShop();
    const source = twoTopics(`${bill} if (number) throw new Error("no");`);
    const it = await shop.open(sandbox(), { source });
    await it.live();
    expect(await it.payloads("order.billed")).toEqual({});
    expect(await it.payloads("order.booked")).toEqual({});
    await it.deploy(twoTopics(bill));
    await it.live();
    expect(Object.keys(await it.payloads("order.billed"))).toEqual(["a", "b", "c"]);
    expect(Object.keys(await it.payloads("order.booked"))).toEqual(["a", "b", "c"]);
    await it.expectSound();
  });

  test("a producer that fails or dies after publishing leaves no event and no state", async () => {
    const shop = new OrderShop();
    const source = orderSource().replace(
      "return { count: orders.length };",
      "await ctx.shop.getOrder({ id: 'a' }); return { count: orders.length };",
    );
    const it = await shop.open(sandbox(), { source });
    let says = (): unknown => {
      throw new HostDies();
    };
    shop.get = () => says();
    expect(await it.live()).toBeNull();
    expect(await it.rows("events")).toEqual([]);
    says = () => {
      throw new Fails("logic", "no such order");
    };
    it.now += 3_600_000;
    await it.live();
    expect(await it.openRun()).toMatchObject({ status: "failed:logic" });
    expect(await it.rows("events")).toEqual([]);
    expect(await it.rows("inputs")).toEqual([]);
    expect(await it.stateOf("poll")).toBeUndefined();
    says = () => null;
    await it.ask("retry_run", { runId: (await it.openRun()).runId });
    expect(shop.booked).toEqual(["a", "b", "c"]);
    await it.expectSound();
  });

  test.each([
    ["an indirect call", "export default (0, workflow)({"],
    ["a name in between", "const made = workflow; export default made({"],
  ])("a script that is written otherwise (%s) is checked all the same", async (_, way) => {
    const text = orderSource()
      .replace("export default workflow({", way)
      .replace('interval: "5m"', 'interval: "soon"');
    const source = { entry: "orders.ts", files: { "orders.ts": text } };
    const { problems } = await validate(source, (script) => sandbox().inspect(script));
    expect(problems.filter(({ severity }) => severity === "error")).not.toEqual([]);
  });
});

describe("[B16] whoever comes second is told, and nobody is forgotten", () => {
  test("[S27] of two answers to one question one wins, and a pause stays a pause", async () => {
    const shop = new OrderShop();
    shop.book = () => {
      throw new Fails("indeterminate", "no answer");
    };
    const it = await shop.open(sandbox());
    await it.live();
    shop.book = () => ({ number: 1 });
    it.now += 3_600_000;
    const [mutation] = await it.rows("mutations");
    const { mutationId } = mutation ?? { mutationId: "" };
    // biome-ignore lint/suspicious/noThenProperty: the word of the contract; never awaited
    const denial = { mutationId, answer: { says: "did_not_happen", then: null } };
    const first = await it.command("resolve_mutation", { mutationId, answer: { says: "skip" } });
    const second = await it.command("resolve_mutation", denial);
    await it.command("pause_workflow", {});
    await it.live();
    const verdicts = await Promise.all(
      [first, second].map((id) => it.store.findVerdict(it.workflow, id)),
    );
    expect(verdicts.map((verdict) => verdict?.refusal)).toEqual([null, "mutation_resolved"]);
    expect(shop.booked).toEqual(["a"]);
    const [workflow] = await it.rows("workflows");
    expect(workflow).toMatchObject({ status: "paused", error: null });
    await it.expectSound();
  });

  test("an error of the host and a person's pause do not overwrite each other", async () => {
    const shop = new OrderShop();
    shop.list = () => {
      throw new HostDies();
    };
    const it = await shop.open(sandbox());
    for (let life = 0; life < 4; life++) {
      await it.live();
      it.now += 3_600_000;
    }
    await it.ask("pause_workflow", {});
    const [stopped] = await it.rows("workflows");
    expect(stopped?.status).toBe("paused");
    expect(stopped?.error).toContain("brought the host down");
    expect(await it.questions()).toContain("crash_loop");
    await it.expectSound();
  });

  test("[R106] a workflow that hangs holds up no other, of more than a thousand", async () => {
    const store = await openStores.memory(() => Date.now());
    const hanging = Promise.withResolvers<null>();
    const world = new ScriptedWorld({
      shop: {
        bookOrder: {
          kind: "mutation",
          answer: ({ id }) => (id === "w0-1" ? hanging.promise : null),
        },
      },
    });
    const deployed = await prepareScript(sandbox(), world);
    const names = Array.from({ length: 1_002 }, (_, index) => `w${index}`);
    for (const workflow of names) {
      await store.createWorkflow(workflow);
      await ask(store, workflow, "activate_version", deployed.activation);
      await publishOrder(store, workflow, "1");
    }
    const engine = await startEngine(store, world, deployed, { capacity: 64 });
    await soon(() => world.sent.length === names.length);
    hanging.resolve(null);
    await engine.stop();
    const booked = world.sent.map(({ params }) => params["id"]);
    expect(new Set(booked)).toEqual(new Set(names.map((name) => `${name}-1`)));
  }, 60_000);
});
