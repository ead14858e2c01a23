import { describe, expect, test } from "vitest";
import { OrderShop, sandboxOfFile } from "../engine/order-shop.ts";
import { orderSource } from "../engine/order-workflow.ts";
import { Fails, HostDies } from "../engine/scripted-world.ts";
import type { WorkflowInTest } from "../engine/workflow-in-test.ts";

const sandbox = sandboxOfFile();
const hour = 3_600_000;

async function withBooking(book: OrderShop["book"]) {
  const shop = new OrderShop();
  const works = shop.book;
  shop.book = book;
  const it = await shop.open(sandbox());
  await it.live();
  shop.book = works;
  it.now += hour;
  return { it, shop };
}

async function mutationOf(it: WorkflowInTest) {
  const [mutation] = await it.rows("mutations");
  if (mutation === undefined) throw new Error("Nothing is in the ledger.");
  return mutation;
}

const noAnswer = () => {
  throw new Fails("indeterminate", "no answer");
};

describe("[B1] events of an uncertain mutation stay reserved, and no new run sends again", () => {
  test("[S29] whatever people and time do meanwhile", async () => {
    const { it, shop } = await withBooking(noAnswer);
    const { runId } = await it.openRun();
    const doings: readonly (readonly [string, object])[] = [
      ["resume_run", { runId }],
      ["retry_run", { runId }],
      ["stop_run", { runId }],
      ["skip_event", { topic: "order.received", messageId: "a" }],
      ["reprocess_event", { topic: "order.received", messageId: "a" }],
      ["reset_topic", { topic: "order.received" }],
      ["run_now", {}],
    ];
    for (const [kind, body] of doings) {
      expect(await it.ask(kind, body), kind).not.toBe("done");
      it.now += hour;
    }
    expect(await it.ask("pause_workflow", {})).toBe("done");
    expect(await it.ask("resume_workflow", {})).toBe("done");
    await it.deploy(orderSource().replace('"Book order "', '"Book the order "'));
    await it.live();
    expect(shop.booked).toEqual(["a"]);
    expect(await it.statuses("order.received")).toEqual({
      a: "reserved",
      b: "pending",
      c: "pending",
    });
    expect(await it.questions()).toEqual(["outcome_unknown"]);
    await it.expectSound();
  });

  test("and once it is known to have happened, next is all that is left to do", async () => {
    const { it, shop } = await withBooking(noAnswer);
    const { mutationId } = await mutationOf(it);
    const answer = { says: "happened", result: null };
    expect(await it.ask("resolve_mutation", { mutationId, answer })).toBe("done");
    // The script cannot do without the result that nobody has: that is its own failure.
    const { outcome, phase, status } = await it.openRun();
    expect({ outcome, phase, status }).toEqual({
      outcome: "applied",
      phase: "mutated",
      status: "failed:logic",
    });
    const forgiving = orderSource().replace("= result.result;", "= result.result ?? {};");
    await it.deploy(forgiving);
    await it.live();
    expect(shop.booked).toEqual(["a", "b", "c"]);
    expect((await it.statuses("order.received"))["a"]).toBe("consumed");
    await it.expectSound();
  });
});

describe("[B2] a mutation in flight when its host died can be resolved by a person", () => {
  const dies = () => {
    throw new HostDies();
  };

  test("and leaves in_flight with the run that waits for it", async () => {
    const { it, shop } = await withBooking(dies);
    await it.live();
    expect((await mutationOf(it)).state).toBe("indeterminate");
    expect(await it.openRun()).toMatchObject({ status: "paused:reconciliation" });
    expect(await it.questions()).toEqual(["outcome_unknown"]);
    const { runId } = await it.openRun();
    expect(await it.ask("resume_run", { runId })).toBe("run_waits_for_outcome");
    expect(shop.booked).toEqual(["a"]);
  });

  test.each([
    // biome-ignore lint/suspicious/noThenProperty: the word of the contract; never awaited
    [{ says: "did_not_happen", then: null }, ["a", "a", "b", "c"], "consumed"],
    [{ says: "skip" }, ["a", "b", "c"], "skipped"],
  ])("[S26] %o is an answer, and is kept to", async (answer, booked, status) => {
    const { it, shop } = await withBooking(dies);
    await it.live();
    const { mutationId } = await mutationOf(it);
    it.now += hour;
    expect(await it.ask("resolve_mutation", { mutationId, answer })).toBe("done");
    expect(shop.booked).toEqual(booked);
    expect((await it.statuses("order.received"))["a"]).toBe(status);
    expect(await it.ask("resolve_mutation", { mutationId, answer })).not.toBe("done");
    expect(await it.questions()).toEqual([]);
    await it.expectSound();
  });
});

describe("[B5] what is not proof of failure is an unknown outcome, and releases nothing", () => {
  test.each<readonly [string, () => unknown]>([
    [
      "[S17] [R112] an exception of the connector that nobody classified",
      () => {
        throw new TypeError("x is not a function");
      },
    ],
    ["[S18] an answer that cannot be kept, after a real change", () => ({ at: () => 0 })],
    ["a timeout", noAnswer],
  ])("%s", async (_, book) => {
    const { it, shop } = await withBooking(book);
    expect((await mutationOf(it)).state).toBe("indeterminate");
    expect((await it.statuses("order.received"))["a"]).toBe("reserved");
    it.now += 24 * hour;
    await it.live();
    expect(shop.booked).toEqual(["a"]);
    expect(await it.questions()).toEqual(["outcome_unknown"]);
    await it.expectSound();
  });

  test("no deadline of the script counts while its call is under way", async () => {
    const shop = new OrderShop();
    const it = await shop.open(sandbox());
    const phases: string[] = [];
    it.onPhase = ({ phase }) => phases.push(phase);
    shop.book = ({ id }) => {
      expect(phases.at(-1)).toBe("mutate");
      it.now += 3 * hour;
      return { number: `B-${id}` };
    };
    await it.live();
    expect((await it.rows("mutations")).map(({ state }) => state)).toEqual(
      Array(3).fill("applied"),
    );
    await it.expectSound();
  });
});
