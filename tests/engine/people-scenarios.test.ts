import { describe, expect, test } from "vitest";
import { OrderShop, sandboxOfFile } from "./order-shop.ts";
import { bookOneByOne, orderSource } from "./order-workflow.ts";
import { Fails } from "./scripted-world.ts";
import type { WorkflowInTest } from "./workflow-in-test.ts";

const sandbox = sandboxOfFile();
const minute = 60_000;

async function open(consumer?: string) {
  const shop = new OrderShop();
  const it = await shop.open(sandbox(), { source: orderSource(consumer) });
  return { it, shop };
}

async function inputOf(it: WorkflowInTest, messageId: string): Promise<string> {
  const events = await it.rows("events");
  const event = events.find(
    (each) => each.topic === "order.received" && each.messageId === messageId,
  );
  const [inputId] = event?.causedBy ?? [];
  if (inputId === undefined) throw new Error(`${messageId} has no input`);
  return inputId;
}

describe("[S58] [R121] skipping an input", () => {
  test("whose event is pending takes it out, and the others go on", async () => {
    const { it, shop } = await open();
    shop.world.denied.add("shop.bookOrder");
    await it.live();
    expect(await it.ask("skip_input", { inputId: await inputOf(it, "b") })).toBe("done");
    shop.world.denied.clear();
    await it.ask("resume_run", { runId: (await it.openRun()).runId });
    expect(shop.booked).toEqual(["a", "c"]);
    expect((await it.statuses("order.received"))["b"]).toBe("skipped");
    await it.expectSound();
  });

  test("whose event is held before its mutation aborts the run, and frees the batch", async () => {
    const { it, shop } = await open(`
      prepare: async (ctx) => {
        const ids = (await ctx.peek("order.received")).map((event) => event.id);
        return { reservations: [{ topic: "order.received", ids }], data: { ids } };
      },
      mutate: async (ctx, prepared) => {
        await ctx.shop.bookOrder({ id: prepared.data.ids.join("+") });
      },`);
    shop.world.denied.add("shop.bookOrder");
    await it.live();
    expect(Object.values(await it.statuses("order.received"))).toEqual(Array(3).fill("reserved"));
    const { runId } = await it.openRun();
    shop.world.denied.clear();
    expect(await it.ask("skip_input", { inputId: await inputOf(it, "b") })).toBe("done");
    const aborted = (await it.rows("runs")).find((run) => run.runId === runId);
    expect(aborted).toMatchObject({ status: "aborted", open: false });
    expect(shop.booked).toEqual(["a+c"]);
    expect(await it.statuses("order.received")).toEqual({
      a: "consumed",
      b: "skipped",
      c: "consumed",
    });
    await it.expectSound();
  });

  test("whose mutation has happened lets the run complete", async () => {
    const failing = bookOneByOne.replace("const { number }", "if (true) throw 1; const { number }");
    const { it, shop } = await open(failing);
    await it.live();
    expect(await it.ask("skip_input", { inputId: await inputOf(it, "a") })).toBe(
      "input_not_skippable",
    );
    await it.deploy(orderSource());
    await it.live();
    expect(shop.booked).toEqual(["a", "b", "c"]);
    expect((await it.statuses("order.received"))["a"]).toBe("consumed");
  });

  test("whose event is consumed changes nothing", async () => {
    const { it, shop } = await open();
    await it.live();
    const before = await it.statuses("order.received");
    expect(await it.ask("skip_input", { inputId: await inputOf(it, "a") })).toBe(
      "input_not_skippable",
    );
    expect(await it.statuses("order.received")).toEqual(before);
    expect(shop.booked).toEqual(["a", "b", "c"]);
  });
});

describe("[S35] [R103] run now", () => {
  test("is refused while a run is open or the workflow is paused", async () => {
    const { it, shop } = await open();
    await it.live();
    expect(shop.world.reads).toHaveLength(1);
    expect(await it.ask("run_now", {})).toBe("done");
    expect(shop.world.reads).toHaveLength(2);
    // The schedule goes on from there.
    const poll = async () => (await it.rows("handlers")).find(({ name }) => name === "poll");
    expect((await poll())?.nextRunAt).toBeGreaterThan(it.now);
    await it.ask("pause_workflow", {});
    expect(await it.ask("run_now", {})).toBe("workflow_not_active");
    await it.ask("resume_workflow", {});
    shop.list = () => {
      throw new Fails("transient", "not now");
    };
    it.now += 5 * minute;
    await it.live();
    expect(await it.ask("run_now", {})).toBe("workflow_has_open_run");
    await it.expectSound();
  });

  test("[R101] what is pending is worked off before a producer that is due", async () => {
    const { it, shop } = await open();
    const order: string[] = [];
    it.onPhase = ({ phase }) => order.push(phase);
    shop.world.denied.add("shop.bookOrder");
    await it.live();
    shop.world.denied.clear();
    it.now += 60 * minute;
    order.length = 0;
    await it.ask("resume_run", { runId: (await it.openRun()).runId });
    expect(shop.booked).toEqual(["a", "b", "c"]);
    expect(order.filter((phase) => phase === "producer")).toHaveLength(1);
    expect(order.indexOf("producer")).toBeGreaterThan(order.lastIndexOf("mutate"));
    await it.expectSound();
  });
});

test("[R123] a minor version keeps states, events and what was done", async () => {
  const { it, shop } = await open();
  await it.live();
  const before = await Promise.all([it.stateOf("poll"), it.stateOf("book")]);
  await it.deploy(orderSource().replace('"Book order "', '"Book the order "'));
  await it.live();
  expect(await Promise.all([it.stateOf("poll"), it.stateOf("book")])).toEqual(before);
  expect(shop.booked).toEqual(["a", "b", "c"]);
  shop.orders.push({ id: "d", sum: 40 });
  it.now += 5 * minute;
  await it.live();
  expect(shop.booked).toEqual(["a", "b", "c", "d"]);
  expect(await it.stateOf("book")).toEqual({ total: 100 });
  const titles = (await it.rows("mutations")).map(({ uiTitle }) => uiTitle);
  expect(titles.at(-1)).toBe("Book the order d");
  await it.expectSound();
});
