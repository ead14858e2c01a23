import { describe, expect, test } from "vitest";
import { OrderShop, sandboxOfFile } from "./order-shop.ts";
import { bookOneByOne, orderSource } from "./order-workflow.ts";
import { Fails } from "./scripted-world.ts";

const sandbox = sandboxOfFile();

async function open(consumer?: string) {
  const shop = new OrderShop();
  const it = await shop.open(sandbox(), { source: orderSource(consumer) });
  return { it, shop };
}

/** Whatever happens meanwhile, nothing more is tried and nobody is asked again. */
async function expectQuiet(it: Awaited<ReturnType<typeof open>>["it"]): Promise<void> {
  const before = (await it.rows("attentions")).length;
  const { head } = await it.store.load(it.workflow, []);
  it.now += 86_400_000;
  expect(await it.live()).toBeNull();
  expect((await it.store.load(it.workflow, [])).head.seq).toBe(head.seq);
  expect(await it.rows("attentions")).toHaveLength(before);
}

describe("[S36] a workflow that lacks something is stopped once, with one question", () => {
  test("when its script cannot be found", async () => {
    const { it, shop } = await open();
    it.loseScripts();
    expect(await it.live()).toEqual({ kind: "resting" });
    const [failed] = await it.rows("runs");
    expect(failed?.status).toBe("failed:internal");
    expect(failed?.failure?.message).toMatch(/^the script .* cannot be loaded: Error: no script/);
    expect((await it.rows("attentions")).map(({ kind }) => kind)).toEqual(["run_failed"]);
    await expectQuiet(it);
    await it.deploy(orderSource());
    await it.command("retry_run", { runId: failed?.runId });
    await it.live();
    expect(shop.booked).toEqual(["a", "b", "c"]);
    await it.expectSound();
  });

  test("when its script is gone while a recorded call waits to be sent", async () => {
    const { it, shop } = await open();
    await it.command("set_brake", { operation: "shop.bookOrder", reason: "look first" });
    await it.live();
    it.loseScripts();
    expect(await it.ask("release_brake", { operation: "shop.bookOrder" })).toBe("done");
    const { runId, status, reason } = await it.openRun();
    expect([status, reason]).toEqual(["paused:approval", "precondition"]);
    await expectQuiet(it);
    expect(shop.booked).toEqual([]);
    await it.deploy(orderSource());
    expect(await it.ask("resume_run", { runId })).toBe("done");
    expect(shop.booked).toEqual(["a", "b", "c"]);
    await it.expectSound();
  });

  test("when an operation is not granted", async () => {
    const { it, shop } = await open();
    shop.world.denied.add("shop.bookOrder");
    await it.live();
    expect((await it.rows("attentions")).map(({ kind }) => kind)).toEqual(["action_needed"]);
    const runId = (await it.rows("runs")).find((run) => run.open)?.runId;
    await it.command("resume_run", { runId });
    await it.live();
    const asked = (await it.rows("attentions")).filter(({ closedAt }) => closedAt === null);
    expect(asked).toHaveLength(1);
    it.now += 86_400_000;
    expect(await it.live()).toBeNull();
    expect(shop.booked).toEqual([]);
    await it.expectSound();
  });

  test("when the code of a connector throws before anything is sent", async () => {
    const { it, shop } = await open();
    shop.world.describe = () => {
      throw new RangeError("no such account");
    };
    await it.live();
    const failed = (await it.rows("runs")).find((run) => run.open);
    expect(failed).toMatchObject({ status: "failed:internal" });
    expect(failed?.failure?.message).toContain("RangeError: no such account");
    await expectQuiet(it);
    expect(shop.booked).toEqual([]);
    await it.expectSound();
  });

  test("[R112] when the code of a connector throws while it reads", async () => {
    const { it, shop } = await open();
    shop.list = () => {
      throw new RangeError("no such page");
    };
    await it.live();
    expect((await it.rows("runs")).map(({ status }) => status)).toEqual(["failed:internal"]);
    await expectQuiet(it);
    await it.expectSound();
  });
});

describe("[S37] a version without the handler of an open run", () => {
  const renamed = orderSource().replace("book: {", "bookAll: {");

  test("leaves a failed run to a person: nothing is tried, nothing loops", async () => {
    const { it, shop } = await open("prepare: async () => { throw new Error('no'); },");
    await it.live();
    await it.deploy(renamed, { isMajor: true });
    expect(await it.live()).toEqual({ kind: "resting" });
    expect((await it.rows("attentions")).map(({ kind }) => kind)).toContain("action_needed");
    await expectQuiet(it);
    const runId = (await it.rows("runs")).find((run) => run.open)?.runId;
    await it.command("stop_run", { runId });
    await it.command("resume_workflow", {});
    await it.live();
    expect(shop.booked).toEqual(["a", "b", "c"]);
    await it.expectSound();
  });

  test("holds a retry that was ordered before, until there is code for it", async () => {
    const { it, shop } = await open("prepare: async () => { throw new Error('no'); },");
    await it.live();
    const { runId } = await it.openRun();
    await it.ask("pause_workflow", {});
    expect(await it.ask("retry_run", { runId })).toBe("done");
    await it.deploy(renamed, { isMajor: true });
    await it.command("resume_workflow", {});
    expect(await it.live()).toEqual({ kind: "resting" });
    await expectQuiet(it);
    await it.deploy(orderSource(), { isMajor: true });
    await it.live();
    expect(shop.booked).toEqual(["a", "b", "c"]);
    await it.expectSound();
  });

  test("keeps what was booked and asks about the retry of its next", async () => {
    const { it, shop } = await open(
      bookOneByOne.replace(
        'if (result.status === "none")',
        "if (result.result) throw 1; if (true)",
      ),
    );
    await it.live();
    await it.deploy(renamed, { isMajor: true });
    await it.live();
    await expectQuiet(it);
    expect(shop.booked).toEqual(["a"]);
    expect((await it.statuses("order.received"))["a"]).toBe("reserved");
    await it.deploy(orderSource(), { isMajor: true });
    await it.live();
    expect(shop.booked).toEqual(["a", "b", "c"]);
    await it.expectSound();
  });

  test("lets a run that waits for a person end on the version it began with", async () => {
    const { it, shop } = await open();
    const works = shop.book;
    shop.book = () => {
      throw new Fails("auth", "sign in");
    };
    await it.live();
    const { runId } = await it.openRun();
    await it.deploy(renamed, { isMajor: true });
    shop.book = works;
    expect(await it.ask("resume_run", { runId })).toBe("done");
    expect(shop.booked).toEqual(["a", "a", "b", "c"]);
    const runs = await it.rows("runs");
    expect(runs.find((run) => run.runId === runId)?.status).toBe("committed");
    await it.expectSound();
  });
});
