import { describe, expect, test } from "vitest";
import {
  consumer,
  emptyCommit,
  kindsOf,
  producer,
  publication,
  Scenario,
  version,
} from "../testing/scenario.ts";
import { inputStatus } from "./events-of-input.ts";
import { inputIdOf } from "./input-id.ts";
import type { ReceiveDelivery } from "./receive-delivery.ts";

const utf8 = (text: string) => new TextEncoder().encode(text);
const idOf = (externalId: string) => inputIdOf({ source: "webhook", type: "hook", externalId });

const hook = producer("hook", { scheduled: false, webhook: true });
const manifest = {
  topics: ["orders"],
  handlers: [hook, producer("poll"), consumer("book", ["orders"])],
};

function shop(policy = {}): Scenario {
  const s = new Scenario(policy);
  s.do(version(1, 0, manifest));
  s.produce("poll", { nextRunAt: s.now + 1e6 });
  return s;
}

function push(deliveryId: string, more: Partial<ReceiveDelivery> = {}): ReceiveDelivery {
  const body = utf8(`{"id":"${deliveryId}"}`);
  const rest = { handler: "hook", deliveryId, body, title: null, actor: "shop" };
  return { kind: "receive_delivery", ...rest, ...more };
}

describe("[R19] a delivery", () => {
  test("becomes an input with its title, is kept as it came, and makes its handler due", () => {
    const s = shop();
    expect(s.nextWork()).toMatchObject({ kind: "wait" });
    const received = s.do(push("d1", { title: "Order 1" }));
    expect(kindsOf(received)).toEqual(["input_registered", "delivery_received"]);
    expect(s.view.load("inputs", idOf("d1"))).toMatchObject({
      source: "webhook",
      type: "hook",
      externalId: "d1",
      title: "Order 1",
    });
    expect(s.view.load("deliveries", idOf("d1"))).toMatchObject({
      handler: "hook",
      deliveryId: "d1",
      position: s.view.head.seq,
      status: "waiting",
      runId: null,
      receivedAt: s.now,
      body: { inline: utf8('{"id":"d1"}') },
    });
    expect(s.nextWork()).toEqual({ kind: "start_run", handler: "hook", why: "webhook" });
    expect(inputStatus(s.view, idOf("d1"))).toBe("pending");
  });

  test("that comes again is answered as a duplicate and changes nothing", () => {
    const s = shop();
    s.do(push("d1"));
    const again = s.do(push("d1"));
    expect(again.records).toEqual([]);
    expect(again.note).toBe(`duplicate: received before as input ${idOf("d1")}`);
    const other = s.do(push("d1", { body: utf8("other") }));
    expect(other.records).toEqual([]);
    expect(other.note).toContain("with another body, which was not kept");
    s.produce("hook", { deliveries: [idOf("d1")] });
    expect(s.do(push("d1")).records).toEqual([]);
    expect(s.nextWork()).toMatchObject({ kind: "wait" });
  });

  test("waits in a paused workflow, and is refused by an archived one", () => {
    const s = shop();
    s.do({ kind: "pause_workflow", actor: "ada" });
    s.do(push("d1"));
    s.do({ kind: "resume_workflow", actor: "ada" });
    expect(s.nextWork()).toMatchObject({ why: "webhook" });
    s.produce("hook", { deliveries: [idOf("d1")] });
    s.do({ kind: "archive_workflow", actor: "ada" });
    expect(s.refused(push("d2"))).toBe("workflow_is_archived");
  });

  const refusals: readonly (readonly [string, Partial<ReceiveDelivery>, string])[] = [
    ["for a handler nobody declared", { handler: "nobody" }, "handler_not_found"],
    ["for a producer on a schedule", { handler: "poll" }, "handler_not_webhook"],
    ["for a consumer", { handler: "book" }, "handler_not_webhook"],
    ["without an id", { deliveryId: "" }, "id_invalid"],
    ["with a control character in its id", { deliveryId: "a\nb" }, "id_invalid"],
    ["over the limit", { body: utf8("x".repeat(101)) }, "limit_exceeded"],
    ["that is no text", { body: Uint8Array.of(0xff, 0xfe) }, "delivery_not_text"],
  ];
  test.each(refusals)("%s is refused", (_, more, code) => {
    expect(shop({ deliveryBytesMax: 100 }).refused(push("d1", more))).toBe(code);
  });

  test("is refused when too many wait, until some are taken", () => {
    const s = shop({ deliveriesWaitingMax: 2 });
    s.do(push("d1"));
    s.do(push("d2"));
    expect(s.refused(push("d3"))).toBe("limit_exceeded");
    s.produce("hook", { deliveries: [idOf("d1")] });
    s.do(push("d3"));
  });

  test("is a command of the inbox like any other, with its verdict", () => {
    const s = shop();
    const body = { handler: "hook", deliveryId: "d1", body: utf8("1"), title: null };
    expect(s.fold("receive_delivery", body, "shop")).toMatchObject({ accepted: true });
    expect(s.fold("receive_delivery", { ...body, handler: "poll" }, "shop")).toMatchObject({
      accepted: false,
      refusal: "handler_not_webhook",
    });
  });
});

describe("[R25] the commit of a run takes the deliveries it was given", () => {
  test("exactly these, with what it published from them, and is due while more wait", () => {
    const s = shop();
    for (const id of ["d1", "d2", "d3"]) s.do(push(id));
    const runId = s.start("hook");
    s.do(
      emptyCommit(runId, {
        deliveries: [idOf("d1"), idOf("d2")],
        publishes: [publication("orders", "o1", { inputId: idOf("d1") })],
      }),
    );
    const rows = ["d1", "d2", "d3"].map((id) => s.view.load("deliveries", idOf(id)));
    expect(rows.map(({ status, runId: by }) => [status, by])).toEqual([
      ["taken", runId],
      ["taken", runId],
      ["waiting", null],
    ]);
    expect(s.event("orders", "o1").causedBy).toEqual([idOf("d1")]);
    expect(s.handler("hook").waitingCount).toBe(1);
    // Nothing came of the second one, and that is known.
    expect(["d1", "d2", "d3"].map((id) => inputStatus(s.view, idOf(id)))).toEqual([
      "pending",
      "done",
      "pending",
    ]);
    s.prepared("book", [["orders", "o1"]]);
    s.do({ kind: "finish_mutate", runId: s.openRun().runId }, emptyCommit(s.openRun().runId));
    s.prepared("book", []);
    s.do(emptyCommit(s.openRun().runId));
    expect(s.nextWork()).toMatchObject({ handler: "hook", why: "webhook" });
  });

  test("a run that fails leaves them waiting, and its retry can take them", () => {
    const s = shop();
    s.do(push("d1"));
    const runId = s.start("hook");
    s.failLogic(runId);
    expect(s.view.load("deliveries", idOf("d1")).status).toBe("waiting");
    s.do({ kind: "retry_run", runId, actor: "ada" });
    const retry = s.retry(runId);
    s.do(emptyCommit(retry, { deliveries: [idOf("d1")] }));
    expect(s.view.load("deliveries", idOf("d1"))).toMatchObject({ status: "taken", runId: retry });
  });

  const wrong: readonly (readonly [string, readonly string[]])[] = [
    ["one that was taken", [idOf("d1")]],
    ["one that a person skipped", [idOf("d2")]],
    ["one twice", [idOf("d3"), idOf("d3")]],
    ["one that never came", [idOf("d9")]],
  ];
  test.each(wrong)("and never %s", (_, deliveries) => {
    const s = shop();
    for (const id of ["d1", "d2", "d3"]) s.do(push(id));
    s.do({ kind: "skip_input", inputId: idOf("d2"), actor: "ada" });
    s.produce("hook", { deliveries: [idOf("d1")] });
    expect(s.refused(emptyCommit(s.start("hook"), { deliveries }))).toBe("delivery_not_waiting");
  });

  test("and never one of another handler", () => {
    const s = shop();
    s.do(push("d1"));
    const commit = emptyCommit(s.start("poll"), { deliveries: [idOf("d1")] });
    expect(s.refused(commit)).toBe("delivery_not_waiting");
  });
});

describe("[R121] a person who skips a delivery's input", () => {
  test("keeps it from every script", () => {
    const s = shop();
    s.do(push("d1"));
    s.do({ kind: "skip_input", inputId: idOf("d1"), actor: "ada" });
    expect(s.view.load("deliveries", idOf("d1")).status).toBe("skipped");
    expect(s.handler("hook").waitingCount).toBe(0);
    expect(s.nextWork()).toMatchObject({ kind: "wait" });
    expect(s.do(push("d1")).records).toEqual([]);
  });

  test("gives up the run that failed over it, with its question", () => {
    const s = shop();
    s.do(push("d1"));
    s.do(push("d2"));
    const runId = s.start("hook");
    s.failLogic(runId);
    const open = () => [...s.view.rows("attentions")].filter(({ closedAt }) => closedAt === null);
    expect(open()).toMatchObject([{ kind: "run_failed", subject: runId }]);
    s.do({ kind: "skip_input", inputId: idOf("d1"), actor: "ada" });
    expect(open()).toEqual([]);
    expect(s.view.load("runs", runId).status).toBe("aborted");
    expect(s.nextWork()).toMatchObject({ kind: "start_run", handler: "hook", why: "webhook" });
  });

  test("is told when a run has taken it", () => {
    const s = shop();
    s.do(push("d1"));
    s.produce("hook", { deliveries: [idOf("d1")] });
    const skip = { kind: "skip_input", inputId: idOf("d1"), actor: "ada" } as const;
    expect(s.refused(skip)).toBe("input_not_skippable");
  });
});

describe("a version", () => {
  test("[R123] without the webhook lets deliveries wait, and one with it goes on", () => {
    const s = shop();
    s.do(push("d1"));
    const scheduled = { ...manifest, handlers: [producer("hook"), consumer("book", ["orders"])] };
    s.do(version(2, 0, scheduled));
    s.produce("hook", { nextRunAt: s.now + 1e6 });
    expect(s.refused(push("d2"))).toBe("handler_not_webhook");
    expect(s.nextWork()).toMatchObject({ kind: "wait" });
    s.do(version(3, 0, manifest));
    s.produce("poll", { nextRunAt: s.now + 1e6 });
    expect(s.nextWork()).toMatchObject({ handler: "hook", why: "webhook" });
  });

  test("may not have a consumer that takes deliveries", () => {
    const s = new Scenario();
    const handlers = [consumer("book", ["orders"], { webhook: true })];
    expect(s.refused(version(1, 0, { topics: ["orders"], handlers }))).toBe("version_invalid");
  });
});

test("[R103] what a person asked for is run once, and moves no time before it has run", () => {
  const s = shop();
  const { nextRunAt } = s.handler("poll");
  s.do({ kind: "run_now", actor: "ada" });
  s.do(push("d1"));
  expect(s.nextWork()).toEqual({ kind: "start_run", handler: "hook", why: "manual" });
  const asOf = s.view.head.seq;
  s.do({ kind: "start_run", handler: "hook", asOf, trigger: "manual" });
  s.do(emptyCommit(s.openRun().runId, { deliveries: [idOf("d1")] }));
  expect(s.nextWork()).toEqual({ kind: "start_run", handler: "poll", why: "manual" });
  s.do({ kind: "start_run", handler: "poll", asOf, trigger: "manual" });
  s.do(emptyCommit(s.openRun().runId, { nextRunAt }));
  expect(s.nextWork()).toMatchObject({ kind: "wait", until: nextRunAt });
});
