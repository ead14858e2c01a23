import { describe, expect, test } from "vitest";
import {
  asking,
  byHand,
  call,
  consumer,
  emptyCommit,
  producer,
  publication,
  Scenario,
  version,
} from "../testing/scenario.ts";
import { inputIdOf } from "../topic/input-id.ts";
import type { Cause } from "./cause.ts";
import { explain } from "./explain.ts";
import type { Explanation, Subject } from "./explanation.ts";

const o1 = ["orders", "o1"] as const;
const o2 = ["orders", "o2"] as const;
const event: Subject = { kind: "event", topic: "orders", messageId: "o1" };
const other: Subject = { kind: "event", topic: "orders", messageId: "o2" };
const workflow: Subject = { kind: "workflow" };
const failure = { class: "transient", message: "503", location: "shop" } as const;
const ask = asking(9_000_000);

function shop(): Scenario {
  const s = new Scenario();
  const handlers = [producer("poll", { scheduled: false }), consumer("book", ["orders"])];
  s.do(version(1, 0, { topics: ["orders"], observed: ["booked"], handlers }));
  return s;
}

function ordered(): Scenario {
  const s = shop();
  s.do(byHand(...o1), byHand(...o2));
  return s;
}

function why(s: Scenario, subject: Subject): Explanation {
  return explain(s.view, subject, s.now);
}

const kindsOf = ({ because }: Explanation) => because.map(({ kind }) => kind);

function last<K extends Cause["kind"]>(explained: Explanation, kind: K) {
  const cause = explained.because.at(-1);
  expect(cause?.kind).toBe(kind);
  return cause as Extract<Cause, { kind: K }>;
}

describe("[R59] [R18] an event that a run holds is explained by what the run waits for:", () => {
  test("nothing, it is being worked on", () => {
    const s = ordered();
    const runId = s.prepared("book", [o1]);
    expect(why(s, event)).toEqual({
      subject: event,
      state: "moving",
      because: [
        { kind: "held_by_run", runId, handler: "book" },
        { kind: "due_now", work: { kind: "continue_run", runId } },
      ],
    });
  });

  test("a back-off, with its end and its failure", () => {
    const s = ordered();
    const runId = s.prepared("book", [o1]);
    s.do({ kind: "pause_run", runId, because: { reason: "backoff", failure, jitter: 0 } });
    const until = s.now + s.view.policy.transientDelayMs;
    const cause = last(why(s, event), "backing_off");
    expect(cause).toEqual({ kind: "backing_off", runId, reason: "backoff", failure, until });
    s.now = until;
    expect(why(s, event).state).toBe("moving");
  });

  test("a person, asked because nobody knows what happened", () => {
    const s = ordered();
    const { mutationId } = s.send(s.prepared("book", [o1]));
    s.settle(mutationId, { says: "unknown", note: "no answer" });
    const cause = last(why(s, event), "person_asked");
    expect(cause).toMatchObject({ question: "outcome_unknown", about: mutationId, until: null });
    expect(cause.answers).toContain("did_not_happen");
  });

  test("a person, asked to approve, until the question runs out", () => {
    const s = ordered();
    s.do(call(s.prepared("book", [o1]), { ask }));
    const cause = last(why(s, event), "person_asked");
    expect(cause).toMatchObject({ question: "approval", until: ask.expiresAt });
    s.now = ask.expiresAt;
    expect(why(s, event).state).toBe("moving");
  });

  test("the brake, and who set it", () => {
    const s = ordered();
    s.do(call(s.prepared("book", [o1])));
    s.do({ kind: "set_brake", operation: "*", reason: "stop", actor: "ada" });
    const cause = last(why(s, event), "brake_on");
    expect(cause).toMatchObject({ operation: "*", by: { actor: "ada", at: s.now }, until: null });
  });

  test("an answer that is on its way, and the host's next look at it", () => {
    const s = ordered();
    const { mutationId } = s.send(s.prepared("book", [o1]));
    const { until } = last(why(s, event), "in_flight");
    expect(last(why(s, event), "in_flight").mutationId).toBe(mutationId);
    s.now = until;
    expect(why(s, event).because.at(-1)).toMatchObject({ work: { kind: "recover_run" } });
  });

  test("the host's search for what happened", () => {
    const s = ordered();
    const { mutationId } = s.send(s.prepared("book", [o1]), { canReconcile: true });
    s.settle(mutationId, { says: "unknown", note: "no answer" });
    const answer = { says: "unreachable", note: "down" } as const;
    s.do({ kind: "answer_reconcile", mutationId, answer, jitter: 0 });
    expect(last(why(s, event), "finding_out")).toMatchObject({ mutationId, how: "ask" });
  });

  test("a re-send that a paused workflow and the brake forbid", () => {
    const s = ordered();
    const keyed = { canReconcile: false, retentionMs: 3_600_000 };
    const { mutationId } = s.send(s.prepared("book", [o1]), keyed);
    s.settle(mutationId, { says: "unknown", note: "no answer" });
    s.do({ kind: "pause_workflow", actor: "ada" });
    s.do({ kind: "set_brake", operation: "shop.book", reason: "stop", actor: "ada" });
    const kinds = ["held_by_run", "finding_out", "workflow_paused", "brake_on"];
    expect(kindsOf(why(s, event))).toEqual(kinds);
  });

  test("a retry whose code is gone", () => {
    const s = ordered();
    const runId = s.mutated("book", [o1]);
    s.failLogic(runId);
    s.do({ kind: "retry_run", runId, actor: "ada" });
    const handlers = [consumer("bill", ["orders"])];
    s.do(version(2, 0, { topics: ["orders"], handlers }));
    expect(kindsOf(why(s, event))).toEqual(["held_by_run", "handler_gone", "person_asked"]);
  });

  test("a paused workflow", () => {
    const s = ordered();
    s.prepared("book", [o1]);
    s.do({ kind: "pause_workflow", actor: "ada" });
    expect(kindsOf(why(s, event))).toEqual(["held_by_run", "workflow_paused"]);
  });
});

describe("a pending event is explained:", () => {
  test("[R56] it is behind the open run, and so is its workflow", () => {
    const s = ordered();
    const runId = s.prepared("book", [o1]);
    s.do({ kind: "pause_run", runId, because: { reason: "backoff", failure, jitter: 0 } });
    expect(kindsOf(why(s, other))).toEqual(["behind_run", "backing_off"]);
    expect(kindsOf(why(s, workflow))).toEqual(["behind_run", "backing_off"]);
  });

  test("[S33] nobody subscribes to its topic, and no run is started for it", () => {
    const s = ordered();
    s.do(version(2, 0, { topics: [], handlers: [producer("poll", { scheduled: false })] }));
    const gone = { kind: "no_subscriber", topic: "orders", declared: false };
    expect(why(s, event)).toMatchObject({ state: "waiting", because: [gone] });
    for (let tick = 0; tick < 10; tick += 1) {
      s.now += 86_400_000;
      expect(s.nextWork()).toMatchObject({ kind: "wait", until: null });
    }
  });

  test("its consumer has looked and left it, until it wants to be woken", () => {
    const s = ordered();
    const wakeAt = s.now + 60_000;
    s.do(emptyCommit(s.prepared("book", [], { wakeAt })));
    const left = { kind: "looked_and_left", handler: "book", until: wakeAt };
    expect(why(s, event)).toMatchObject({ state: "waiting", because: [left] });
    s.now = wakeAt;
    expect(why(s, event).because).toMatchObject([{ kind: "due_now", work: { why: "wake" } }]);
  });

  test("a consumer with an older event comes first", () => {
    const s = new Scenario();
    const handlers = [consumer("a", ["late"]), consumer("b", ["early"])];
    s.do(version(1, 0, { topics: ["early", "late"], handlers }));
    s.do(byHand("early", "e"), byHand("late", "l"));
    const late: Subject = { kind: "event", topic: "late", messageId: "l" };
    expect(why(s, late).because).toMatchObject([
      { kind: "not_its_turn", handler: "a", first: "b" },
      { kind: "due_now", work: { handler: "b" } },
    ]);
  });

  test("a delivery waits for a run of its handler, and is done once it was taken", () => {
    const s = new Scenario();
    const hook = producer("hook", { scheduled: false, webhook: true });
    s.do(version(1, 0, { topics: ["orders"], handlers: [hook, consumer("book", ["orders"])] }));
    const body = new TextEncoder().encode("{}");
    const push = { handler: "hook", deliveryId: "d1", body, title: null, actor: "shop" } as const;
    s.do({ kind: "receive_delivery", ...push });
    const inputId = inputIdOf({ source: "webhook", type: "hook", externalId: "d1" });
    const input: Subject = { kind: "input", inputId };
    const work = { kind: "start_run", handler: "hook", why: "webhook" };
    expect(why(s, input)).toMatchObject({ state: "moving", because: [{ kind: "due_now", work }] });
    const runId = s.start("hook");
    s.failLogic(runId);
    expect(why(s, input)).toMatchObject({
      state: "waiting",
      because: [{ kind: "behind_run", runId, handler: "hook" }, {}],
    });
    s.do({ kind: "retry_run", runId, actor: "ada" });
    s.do(emptyCommit(s.retry(runId), { deliveries: [inputId] }));
    expect(why(s, input)).toMatchObject({
      state: "done",
      because: [{ kind: "all_settled", eventCount: 0 }],
    });
  });

  test("its job is started for it", () => {
    const s = new Scenario();
    const job = consumer("sum", ["orders"], { kind: "job", scheduled: true });
    s.do(version(1, 0, { topics: ["orders"], handlers: [job] }));
    s.do(byHand(...o1));
    expect(kindsOf(why(s, event))).toEqual(["due_now"]);
    const [topic, messageId] = o1;
    const asOf = s.view.head.seq;
    const of = { topic, messageId };
    s.do({ kind: "start_run", handler: "sum", asOf, trigger: "event", event: of });
    expect(kindsOf(why(s, event))).toEqual(["held_by_run", "due_now"]);
  });
});

describe("[R18] what is over is explained by who ended it:", () => {
  test("the run that consumed an event, with its mutation and its time", () => {
    const s = ordered();
    const runId = s.mutated("book", [o1]);
    const { mutationId } = s.view.load("runs", runId);
    s.now += 7;
    s.do(emptyCommit(runId));
    const consumed = { kind: "consumed", runId, at: s.now, mutationId };
    expect(why(s, event)).toMatchObject({ state: "done", because: [consumed] });
  });

  test("the run of the latest attempt, when a person ordered the work again", () => {
    const s = ordered();
    s.do(emptyCommit(s.mutated("book", [o1])));
    s.do({ kind: "reprocess_event", topic: "orders", messageId: "o1", actor: "ada" });
    const runId = s.mutated("book", [o1]);
    s.do(emptyCommit(runId));
    expect(last(why(s, event), "consumed").runId).toBe(runId);
  });

  test("a person who gave up on an outcome", () => {
    const s = ordered();
    const runId = s.skippedOver("book", [o1]);
    s.do(emptyCommit(runId));
    expect(last(why(s, event), "outcome_skipped")).toMatchObject({ by: { actor: "ada" } });
  });

  test("the run that took over from one that failed", () => {
    const s = ordered();
    const failed = s.prepared("book", [o1]);
    s.failLogic(failed);
    s.do({ kind: "retry_run", runId: failed, actor: "ada" });
    expect(kindsOf(why(s, { kind: "run", runId: failed }))).toEqual(["due_now"]);
    const runId = s.retry(failed);
    expect(why(s, { kind: "run", runId: failed })).toMatchObject({
      state: "moving",
      because: [{ kind: "retried_as", runId, retryOf: failed }, { kind: "due_now" }],
    });
  });

  test("a person who stopped a run", () => {
    const s = ordered();
    const runId = s.prepared("book", [o1]);
    s.do({ kind: "stop_run", runId, actor: "ada" });
    expect(kindsOf(why(s, { kind: "run", runId }))).toEqual(["run_aborted"]);
    expect(kindsOf(why(s, workflow))).toEqual(["workflow_paused"]);
  });
});

describe("an input", () => {
  const key = { source: "shop", type: "order", externalId: "17", title: "Order 17" };

  function registered(s: Scenario, topics: readonly string[]): string {
    const runId = s.start("poll");
    s.do(emptyCommit(runId, { inputs: [key] }));
    const [input] = [...s.view.rows("inputs")];
    const inputId = input?.inputId ?? "";
    const publishes = topics.map((topic) => publication(topic, `e ${topic}`, { inputId }));
    if (topics.length > 0) s.produce("poll", { publishes });
    return inputId;
  }

  test("[S56] [R22] is pending without events, while one is open, and done after the last", () => {
    const s = shop();
    const inputId = registered(s, []);
    const told = () => explain(s.view, { kind: "input", inputId }, s.now);
    expect(told()).toMatchObject({ status: "pending", state: "waiting", events: [] });
    expect(kindsOf(told())).toEqual(["no_events_yet"]);
    s.produce("poll", { publishes: [publication("orders", "o1", { inputId })] });
    expect(told()).toMatchObject({ status: "pending", state: "moving" });
    const runId = s.mutated("book", [o1]);
    s.do(emptyCommit(runId, { publishes: [publication("booked", "b1")] }));
    expect(told()).toMatchObject({ status: "done", state: "done" });
    expect(told().events.flatMap(kindsOf)).toEqual(["consumed", "observed"]);
  });

  test("[R122] that is skipped in part says what was done for it", () => {
    const s = shop();
    const inputId = registered(s, []);
    const publishes = [o1, o2].map(([topic, id]) => publication(topic, id, { inputId }));
    s.produce("poll", { publishes });
    const runId = s.mutated("book", [o1]);
    s.do(emptyCommit(runId));
    s.do({ kind: "skip_input", inputId, actor: "ada" });
    const told = explain(s.view, { kind: "input", inputId }, s.now);
    expect(told).toMatchObject({ status: "skipped", state: "done" });
    expect(told.appliedIds).toEqual([s.view.load("runs", runId).mutationId]);
    expect(told.events.flatMap(kindsOf)).toEqual(["consumed", "skipped"]);
  });

  test("[S57] [R23] pending for more than a week is stale, and one that is done is not", () => {
    const s = shop();
    const inputId = registered(s, ["orders"]);
    const weekMs = s.view.policy.staleInputMs;
    const { createdAt } = s.view.load("inputs", inputId);
    const stale = (now: number) => explain(s.view, { kind: "input", inputId }, now).isStale;
    expect([stale(createdAt + weekMs), stale(createdAt + weekMs + 1)]).toEqual([false, true]);
    const runId = s.prepared("book", [["orders", "e orders"]]);
    s.do({ kind: "finish_mutate", runId }, emptyCommit(runId));
    expect(stale(createdAt + 2 * weekMs)).toBe(false);
  });
});

test("a workflow at rest says until when, and one that was never deployed says so", () => {
  const s = shop();
  expect(why(s, workflow).because).toEqual([{ kind: "nothing_to_do", until: null }]);
  const stopped = new Scenario();
  const archived = { kind: "archive_workflow", actor: "ada" } as const;
  stopped.do(archived);
  expect(kindsOf(why(stopped, workflow))).toEqual(["workflow_archived"]);
});

test("commands that nobody has answered come before everything else", () => {
  const s = shop();
  s.do({ kind: "pause_workflow", actor: "ada" });
  const said = { actor: "ada", at: s.now };
  const witness = { stoppedBy: said, skippedBy: new Map(), commandsWaiting: 2 };
  expect(explain(s.view, workflow, s.now, witness)).toMatchObject({
    state: "moving",
    because: [
      { kind: "commands_waiting", count: 2 },
      { kind: "workflow_paused", by: said },
    ],
  });
});
