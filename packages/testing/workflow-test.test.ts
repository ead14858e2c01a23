import { describe, expect, test } from "vitest";
import {
  fails,
  inTurn,
  losesAnswer,
  mutation,
  rateLimited,
  type ScriptedOperation,
  testWorkflow,
  timesOut,
} from "./index.ts";
import { bookOrder, orderScript, shopWith } from "./testing/order-script.ts";

const open = (book: ScriptedOperation = bookOrder) =>
  testWorkflow({ script: { text: orderScript }, connections: shopWith(book) });

const statuses = (it: { events(topic: string): readonly { status: string }[] }) =>
  it.events("order.received").map(({ status }) => status);

describe("a workflow in a test", () => {
  test("[S3] works off what its producer found, and shows all of it", async () => {
    await using it = await open();
    await it.settle();
    expect(it.sent).toMatchObject([
      { name: "shop.bookOrder", params: { id: "a", sum: 10 }, applied: true, answer: "applied" },
      { name: "shop.bookOrder", params: { id: "b", sum: 20 }, applied: true, answer: "applied" },
    ]);
    expect(it.reads).toEqual([
      { name: "shop.listOrders", params: {}, at: "2026-01-05T09:00:00.000Z" },
    ]);
    expect(statuses(it)).toEqual(["consumed", "consumed"]);
    expect(it.events("order.booked")).toMatchObject([
      { messageId: "a", payload: { number: "B-a" }, causedBy: ["Order a"] },
      { messageId: "b", payload: { number: "B-b" }, causedBy: ["Order b"] },
    ]);
    expect(it.inputs().map(({ title, status }) => [title, status])).toEqual([
      ["Order a", "done"],
      ["Order b", "done"],
    ]);
    expect(it.state("book")).toEqual({ total: 30 });
    expect(it.state("poll")).toBeUndefined();
    expect(it.runs("book").map(({ title, outcome }) => [title, outcome])).toEqual([
      ["Book order a", "applied"],
      ["Book order b", "applied"],
      [null, null],
    ]);
    expect(it.logs(it.runs("book")[0]?.runId)).toEqual(["booking a"]);
    expect(it.logs()).toEqual(["booking a", "booking b"]);
    expect(it.ledger().map(({ state, result }) => [state, result])).toEqual([
      ["applied", { number: "B-a" }],
      ["applied", { number: "B-b" }],
    ]);
    expect([it.status, it.questions(), it.crashCount]).toEqual(["active", [], 0]);
  });

  test("does nothing before it is told to, and takes events by hand, flat or not", async () => {
    await using it = await open();
    await it.publish("order.received", { messageId: "o-1", title: "By hand", sum: 5 });
    await it.publish("order.received", { messageId: "o-2", payload: { sum: 6 } });
    expect([it.reads, it.sent]).toEqual([[], []]);
    expect(it.events()).toMatchObject([
      { messageId: "o-1", status: "pending", title: "By hand", payload: { sum: 5 } },
      { messageId: "o-2", status: "pending", title: null, payload: { sum: 6 } },
    ]);
    await it.settle();
    expect(it.sent.map(({ params }) => params["id"])).toEqual(["o-1", "o-2", "a", "b"]);
  });

  test("[R95] [R96] has its schedules fire while time passes, each at its time", async () => {
    await using it = await open();
    await it.advance("12m");
    expect(it.reads.map(({ at }) => at.slice(11, 19))).toEqual([
      "09:00:00",
      "09:05:00",
      "09:10:00",
    ]);
    expect(it.now).toBe("2026-01-05T09:12:00.000Z");
    await it.advanceTo("2026-01-05T09:15:00Z");
    expect(it.reads).toHaveLength(4);
    await expect(it.advanceTo("2026-01-05T09:00:00Z")).rejects.toThrow("time does not go back");
    await expect(it.advance("soon")).rejects.toThrow('"soon" is no duration');
  });

  test("[R126] is paused, resumed and started by a person", async () => {
    await using it = await open();
    await it.pause();
    await it.advance("1h");
    expect([it.status, it.reads]).toEqual(["paused", []]);
    await it.resume();
    await it.settle();
    expect(it.reads).toHaveLength(1);
    await it.runNow();
    await it.settle();
    expect(it.reads).toHaveLength(2);
  });

  test("throws what a command is refused with, at the command", async () => {
    await using it = await open();
    await expect(it.publish("order.lost", { messageId: "o-1" })).rejects.toThrow(
      "command_refused: publish_event was refused (topic_not_declared)",
    );
    await expect(it.resume()).rejects.toMatchObject({ code: "command_refused" });
    expect(() => it.state("nobody")).toThrow("there is no handler nobody; there are book, poll");
  });

  test("[S10] [R113] that failed is mended by a new version", async () => {
    const broken = orderScript.replace('ctx.log("booking "', 'throw new Error("no "');
    await using it = await testWorkflow({ script: { text: broken }, connections: shopWith() });
    await it.settle();
    expect(it.sent).toEqual([]);
    const [question] = it.questions();
    expect(question).toMatchObject({ kind: "run_failed", answers: ["retry", "stop"], call: null });
    expect(question?.text).toMatch(/SCRIPT_THREW: Error: no a\. \(script\.ts:\d+:\d+\)/);
    await it.deploy({ text: orderScript });
    await it.settle();
    expect(it.sent).toHaveLength(2);
    expect(it.questions()).toEqual([]);
  });

  test("says why something is where it is", async () => {
    await using it = await open(mutation(timesOut()));
    await it.publish("order.booked", { messageId: "a", number: "by hand" });
    await it.settle();
    const asked = "a person has to answer a21 (outcome unknown): shop.bookOrder on shop cannot be";
    expect(await it.why()).toContain(`Workflow orders waits: run r14 of book is open`);
    expect(await it.why("b")).toContain("Order b (order.received) waits: run r14 of book is open");
    expect(await it.why("order.received/a")).toContain(`run r14 of book holds it; ${asked}`);
    await expect(it.why("nobody")).rejects.toThrow("the id nobody names nothing");
    await expect(it.why("a")).rejects.toThrow(
      "the id a names several: order.received/a, order.booked/a",
    );
  });

  test("that never rests is found", async () => {
    const endless = orderScript.replace(
      'ctx.publish("order.booked", { messageId: id,',
      'ctx.publish(["order.booked", "order.received"], { messageId: id + "+", sum,',
    );
    const script = {
      text: endless.replace('["order.booked"],', '["order.booked", "order.received"],'),
    };
    const options = { script, connections: shopWith(), phasesMax: 100 };
    await using it = await testWorkflow(options);
    await expect(it.settle()).rejects.toThrow("never_rests");
  });
});

describe("a scripted service", () => {
  test.each([
    ["transient", "paused:transient", []],
    ["auth", "paused:approval", ["action_needed"]],
    ["permission", "paused:approval", ["action_needed"]],
    ["precondition", "paused:approval", ["action_needed"]],
    ["logic", "failed:logic", ["run_failed"]],
  ] as const)("[R110] fails a mutation with %s: the run is %s", async (kind, status, asked) => {
    await using it = await open(mutation(fails(kind, { message: "no" })));
    await it.settle();
    expect(it.sent).toMatchObject([{ applied: false, answer: "failed" }]);
    expect(it.runs("book").at(-1)?.status).toBe(status);
    expect(it.questions().map((question) => question.kind)).toEqual(asked);
  });

  test("[S12] [R108] fails for a while, and is asked again when the back-off is over", async () => {
    const book = inTurn(fails("transient"), fails("transient"), { number: "B" });
    await using it = await open(mutation(book));
    await it.settle();
    expect(it.sent).toHaveLength(1);
    await it.advance("5m");
    const first = it.sent.filter(({ params }) => params["id"] === "a");
    expect(first.map(({ answer }) => answer)).toEqual(["failed", "failed", "applied"]);
    expect(new Set(first.map(({ key }) => key)).size).toBe(1);
  });

  test("wants to be left alone: the call is sent again when it said", async () => {
    await using it = await open(mutation(inTurn(rateLimited("2m"), { number: "B" })));
    await it.advance("1m");
    expect(it.sent.map(({ answer }) => answer)).toEqual(["rate_limited"]);
    await it.advance("1m");
    expect(it.sent.map(({ at }) => at.slice(11, 19))).toEqual(["09:00:00", "09:02:00", "09:02:00"]);
  });

  test.each([
    ["times out", timesOut(), false],
    ["does its work and loses the answer", losesAnswer({ number: "B-1" }), true],
    ["fails and cannot say how", fails("transient", { committed: "unknown" }), false],
  ])(
    "[S24] [R43] that %s leaves a question, and nothing is guessed",
    async (_, trouble, applied) => {
      await using it = await open(mutation(inTurn(trouble, { number: "B" })));
      await it.advance("1d");
      expect(it.sent).toMatchObject([{ answer: "unknown", applied }]);
      expect(statuses(it)).toEqual(["reserved", "pending"]);
      const [question] = it.questions();
      expect(question).toMatchObject({
        kind: "outcome_unknown",
        call: { name: "shop.bookOrder", params: { id: "a" }, state: "indeterminate" },
      });
    },
  );

  test("fails a read: the run waits, and the script hears nothing of it", async () => {
    const connections = shopWith();
    const listOrders = { ...connections.shop.listOrders, answer: inTurn(timesOut(), [], []) };
    const shop = { ...connections.shop, listOrders };
    await using it = await testWorkflow({ script: { text: orderScript }, connections: { shop } });
    await it.settle();
    expect(it.runs().map(({ status }) => status)).toEqual(["paused:transient"]);
    await it.advance("1m");
    expect(it.runs().map(({ status }) => status)).toEqual(["committed"]);
  });

  test("that throws something else is a mistake of the test, and says so", async () => {
    const book = mutation(() => {
      throw new RangeError("oops");
    });
    const it = await open(book);
    await expect(it.settle()).rejects.toThrow(
      "the scripted shop.bookOrder threw: RangeError: oops",
    );
    await it.close();
  });
});

describe("a person's answer", () => {
  const uncertain = async () => {
    const it = await open(mutation(inTurn(timesOut(), { number: "B" })));
    await it.settle();
    const [question] = it.questions();
    return { it, question };
  };

  test("[R72] that it did not happen has it prepared and sent afresh", async () => {
    const { it, question } = await uncertain();
    await it.answer(question, "did_not_happen");
    await it.settle();
    expect(it.sent.map(({ params }) => params["id"])).toEqual(["a", "a", "b"]);
    expect(statuses(it)).toEqual(["consumed", "consumed"]);
    await it.close();
  });

  test("that it happened goes on with the result it names", async () => {
    const { it, question } = await uncertain();
    await it.answer(question, "happened", { result: { number: "seen" } });
    await it.settle();
    expect(it.sent.map(({ params }) => params["id"])).toEqual(["a", "b"]);
    expect(it.events("order.booked").map(({ payload }) => payload)).toEqual([
      { number: "seen" },
      { number: "B" },
    ]);
    await it.close();
  });

  test("[R73] to skip it ends the event as skipped", async () => {
    const { it, question } = await uncertain();
    await it.answer(question, "skip");
    await it.settle();
    expect(statuses(it)).toEqual(["skipped", "consumed"]);
    await it.close();
  });

  test("that the question does not have, or that is refused, throws", async () => {
    const { it, question } = await uncertain();
    await expect(it.answer(question, "retry")).rejects.toThrow(
      '"retry" is no answer to outcome_unknown; it has did_not_happen, happened, skip',
    );
    await expect(it.answer(question, "try_again")).rejects.toThrow(
      '"try_again" is no answer to outcome_unknown',
    );
    await expect(it.answer(undefined, "skip")).rejects.toThrow("nobody was asked anything");
    await it.close();
  });

  test("resumes, retries or stops a run that waits for one", async () => {
    await using it = await open(mutation(inTurn(fails("auth"), fails("logic"), fails("auth"))));
    await it.settle();
    for (const answer of ["resume", "retry", "stop"] as const) {
      await it.answer(it.questions()[0], answer);
      await it.settle();
    }
    expect([it.status, it.sent.length, it.questions()]).toEqual(["paused", 3, []]);
  });
});
