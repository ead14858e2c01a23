import type { FailureClass } from "@holdfast/core";
import { describe, expect, test } from "vitest";
import { OrderShop, sandboxOfFile } from "../engine/order-shop.ts";
import { bookOneByOne, orderSource } from "../engine/order-workflow.ts";
import { Fails } from "../engine/scripted-world.ts";

const sandbox = sandboxOfFile();

async function open(consumer?: string) {
  const shop = new OrderShop();
  const it = await shop.open(sandbox(), { source: orderSource(consumer) });
  return { it, shop };
}

/** Past what validation finds: the script tries to hide failures, and what it may not do. */
const sly = (source: string) =>
  source.replace(
    "export default",
    `const quietly = async (doing) => { try { return await doing(); } catch { return null; } };
     const of = (ctx, name) => ctx.shop[name];
     export default`,
  );

describe("[B4] a script cannot go on after what ends its phase", () => {
  test("a mutation ends mutate, whatever the script catches", async () => {
    const { it, shop } = await open();
    const call = "await ctx.shop.bookOrder({ id: prepared.data.id, sum: prepared.data.sum });";
    await it.deploy(
      sly(orderSource()).replace(
        call,
        `await quietly(() => of(ctx, "bookOrder")({ id: prepared.data.id }));
         await quietly(() => of(ctx, "cancelOrder")({ id: prepared.data.id }));
         ${call}`,
      ),
    );
    await it.live();
    expect(shop.world.sent.map(({ name }) => name)).toEqual(Array(3).fill("shop.bookOrder"));
    expect(shop.booked).toEqual(["a", "b", "c"]);
  });

  test.each([
    ["a read in mutate", "await ctx.shop.bookOrder", 'of(ctx, "listOrders")({})'],
    [
      "a publication in mutate",
      "await ctx.shop.bookOrder",
      'ctx["pub" + "lish"]("order.booked", { messageId: "x" })',
    ],
    ["a mutation in prepare", "const [event] =", 'of(ctx, "cancelOrder")({ id: 1 })'],
  ])("%s ends the run as a failure of the script, and nothing is sent", async (_, at, doing) => {
    const { it, shop } = await open();
    await it.deploy(sly(orderSource()).replace(at, `await quietly(() => ${doing}); ${at}`));
    await it.live();
    expect(await it.openRun()).toMatchObject({ status: "failed:logic" });
    expect(shop.booked).toEqual([]);
    expect(await it.questions()).toEqual(["run_failed"]);
  });

  test("a read that fails ends the run, and no catch hears of it", async () => {
    const { it, shop } = await open();
    const call = "await ctx.shop.listOrders({ after: state?.count ?? 0 });";
    const quiet = '(await quietly(() => of(ctx, "listOrders")({}))) ?? [];';
    await it.deploy(sly(orderSource()).replace(call, quiet));
    shop.list = () => {
      throw new Fails("auth", "sign in");
    };
    await it.live();
    expect(await it.openRun()).toMatchObject({ status: "paused:approval", reason: "auth" });
    expect(await it.stateOf("poll")).toBeUndefined();
  });
});

describe("[B6] [S13] a mutation that definitely failed keeps the class of its failure", () => {
  test.each<readonly [Exclude<FailureClass, "indeterminate">, object]>([
    ["auth", { status: "paused:approval", reason: "auth" }],
    ["permission", { status: "paused:approval", reason: "permission" }],
    ["precondition", { status: "paused:approval", reason: "precondition" }],
    ["budget", { status: "paused:approval", reason: "budget" }],
    ["transient", { status: "paused:transient", reason: "backoff" }],
    ["logic", { status: "failed:logic" }],
    ["internal", { status: "failed:internal" }],
  ])("%s", async (kind, expected) => {
    const { it, shop } = await open();
    shop.book = () => {
      throw new Fails(kind, "the shop said so");
    };
    await it.live();
    const run = await it.openRun();
    expect(run).toMatchObject({
      ...expected,
      phase: "mutating",
      outcome: null,
      failure: { class: kind, message: "the shop said so" },
    });
    expect(
      (await it.rows("runs")).some(({ handler, outcome }) => handler === "book" && outcome),
    ).toBe(false);
    await it.expectSound();
  });
});

describe("[B7] a retry is told what came of the mutation of the run before it", () => {
  const failing = bookOneByOne.replace("const { number }", "if (true) throw 1; const { number }");

  test("applied, with the result, after its next failed", async () => {
    const { it, shop } = await open(failing);
    await it.live();
    expect(shop.booked).toEqual(["a"]);
    await it.deploy(orderSource());
    await it.live();
    expect(shop.booked).toEqual(["a", "b", "c"]);
    expect(await it.payloads("order.booked")).toEqual({
      a: { number: "B-a" },
      b: { number: "B-b" },
      c: { number: "B-c" },
    });
    const retry = (await it.rows("runs")).find(({ retryOf }) => retryOf !== null);
    expect(retry).toMatchObject({ outcome: "applied", status: "committed" });
    await it.expectSound();
  });

  test("[S25] skipped, and what it publishes then keeps its inputs", async () => {
    const telling = bookOneByOne.replace(
      'if (result.status === "skipped") return undefined;',
      `if (result.status === "skipped") {
        await ctx.publish("order.booked", { messageId: prepared.data.id, left: "out" });
        return undefined;
      }`,
    );
    const { it, shop } = await open(telling);
    shop.book = () => {
      throw new Fails("indeterminate", "no answer");
    };
    await it.live();
    const [mutation] = await it.rows("mutations");
    shop.book = () => ({ number: 1 });
    const skip = { mutationId: mutation?.mutationId, answer: { says: "skip" } };
    expect(await it.ask("resolve_mutation", skip)).toBe("done");
    expect((await it.payloads("order.booked"))["a"]).toEqual({ left: "out" });
    const events = await it.rows("events");
    const causes = (topic: string) =>
      events.find((event) => event.topic === topic && event.messageId === "a")?.causedBy;
    expect(causes("order.booked")).toEqual(causes("order.received"));
    expect(causes("order.booked")).toHaveLength(1);
    expect((await it.statuses("order.received"))["a"]).toBe("skipped");
    await it.expectSound();
  });
});
