import { describe, expect, test } from "vitest";
import { byHand, consumer, emptyCommit, producer, Scenario, version } from "../testing/scenario.ts";

const o1 = ["orders", "o1"] as const;
const hourMs = 3_600_000;

function shop(): Scenario {
  const s = new Scenario();
  const handlers = [producer("poll", { scheduled: false }), consumer("book", ["orders"])];
  s.do(version(1, 0, { topics: ["orders", "returns"], handlers }));
  return s;
}

function sent(s: Scenario, more: Parameters<Scenario["send"]>[1] = {}) {
  s.do(byHand(...o1));
  const runId = s.prepared("book", [o1]);
  return s.send(runId, more);
}

describe("a re-send by key", () => {
  test("[R75] never leaves when the provider may have forgotten the key", () => {
    const s = shop();
    const keyed = { canReconcile: false, retentionMs: hourMs };
    const { mutationId, firstSentAt } = sent(s, keyed);
    s.settle(mutationId, { says: "unknown", note: "no answer" });
    const keyGone = (firstSentAt ?? 0) + hourMs;
    s.now = keyGone - 300_000;
    const resend = { ...s.sending(mutationId), kind: "resend_mutation" } as const;
    const late = { ...resend, sendBy: s.now + 250_000, timeoutMs: 1 };
    expect(s.refused(late)).toBe("retention_over");
    s.do({ ...resend, sendBy: s.now + 30_000, timeoutMs: 1 });
  });

  test("is named only when it may leave, and given up when the key is gone", () => {
    const s = shop();
    const { mutationId, firstSentAt } = sent(s, { canReconcile: false, retentionMs: hourMs });
    s.do({ kind: "recover_run", incarnation: "another" });
    const { quietFrom } = s.view.load("mutations", mutationId);
    expect(s.nextWork()).toMatchObject({ kind: "wait", until: quietFrom });
    expect(s.nextWork(quietFrom ?? 0)).toEqual({ kind: "resend", mutationId });
    s.do({ kind: "set_brake", operation: "*", reason: "stop", actor: "ada" });
    const { hostPauseMsMax, retentionMarginMs } = s.view.policy;
    const lastCall = (firstSentAt ?? 0) + hourMs - hostPauseMsMax - retentionMarginMs;
    expect(s.nextWork(quietFrom ?? 0)).toMatchObject({ kind: "wait", until: lastCall });
    s.now = lastCall;
    expect(s.nextWork()).toEqual({ kind: "reconcile", mutationId });
    const answer = { says: "unreachable", note: "no way to ask" } as const;
    s.do({ kind: "answer_reconcile", mutationId, answer, jitter: 0 });
    expect(s.view.load("mutations", mutationId).state).toBe("indeterminate");
  });
});

test("a call in flight that nobody answers for is looked at, even by the host that sent it", () => {
  const s = shop();
  const { runId, mutationId, sendBy, timeoutMs, senderIncarnation } = sent(s);
  const silent = (sendBy ?? 0) + (timeoutMs ?? 0) + s.view.policy.hostPauseMsMax;
  expect(s.nextWork()).toMatchObject({ kind: "wait", until: silent });
  const recover = { kind: "recover_run", incarnation: senderIncarnation ?? "" } as const;
  expect(s.refused(recover)).toBe("mutation_in_flight");
  s.now = silent;
  expect(s.nextWork()).toEqual({ kind: "recover_run", runId });
  s.do(recover);
  expect(s.view.load("mutations", mutationId).state).not.toBe("in_flight");
});

describe("a deploy under an open run", () => {
  test("[R99] is followed by a look of the new code at everything that waits", () => {
    const s = shop();
    s.do(byHand("returns", "x1"));
    const runId = s.prepared("book", []);
    const wider = { topics: ["orders", "returns"], handlers: [consumer("book", ["returns"])] };
    s.do(version(2, 0, wider));
    s.do(emptyCommit(runId));
    expect(s.nextWork()).toMatchObject({ kind: "start_run", handler: "book" });
  });

  test("[R96] keeps the producer due at once, whatever the old run says", () => {
    const s = shop();
    const runId = s.start("poll");
    s.do(version(2, 0, { topics: ["orders"], handlers: [producer("poll")] }));
    s.do(emptyCommit(runId, { nextRunAt: s.now + 24 * hourMs }));
    expect(s.nextWork()).toMatchObject({ kind: "start_run", handler: "poll" });
  });
});

describe("a paused workflow", () => {
  test("does not spin on a retry that may not start", () => {
    const s = shop();
    s.do(byHand(...o1));
    const runId = s.prepared("book", [o1]);
    s.do({ kind: "finish_mutate", runId });
    s.do({ kind: "recover_run", incarnation: "h2" });
    s.do({ kind: "pause_workflow", actor: "ada" });
    expect(s.nextWork()).toMatchObject({ kind: "stopped" });
  });

  test("[R162] still stops at two crashes in a row", () => {
    const s = shop();
    s.do(byHand(...o1));
    let runId = s.mutated("book", [o1]);
    s.do({ kind: "pause_workflow", actor: "ada" });
    s.do({ kind: "recover_run", incarnation: "h2" });
    runId = s.retry(runId);
    s.do({ kind: "recover_run", incarnation: "h3" });
    expect(s.nextWork()).toMatchObject({ kind: "stopped" });
    expect(s.refused({ kind: "start_retry", runId })).toBe("workflow_not_active");
  });
});

test("asking an unreachable service becomes rarer the longer it is away", () => {
  const s = shop();
  const { mutationId } = sent(s, { canReconcile: true });
  s.settle(mutationId, { says: "unknown", note: "no answer" });
  let asked = 0;
  const endsAt = s.now + 23 * hourMs;
  while (s.now < endsAt) {
    const answer = { says: "unreachable", note: "down" } as const;
    s.do({ kind: "answer_reconcile", mutationId, answer, jitter: 0 });
    s.now = s.view.load("mutations", mutationId).nextAttemptAt ?? endsAt;
    asked += 1;
  }
  expect(asked).toBeLessThan(200);
});

test("[R150] a service's wish to be left alone is honoured within bounds", () => {
  const s = shop();
  const { mutationId, runId } = sent(s);
  s.settle(mutationId, { says: "rate_limited", until: 0 });
  expect(s.view.load("runs", runId).dueAt).toBe(s.now + s.view.policy.rateLimitMsMin);
  s.now += 10_000;
  s.do({ kind: "resume_run", runId, actor: "host" }, s.sending(mutationId));
  s.settle(mutationId, { says: "rate_limited", until: Number.MAX_SAFE_INTEGER });
  expect(s.view.load("runs", runId).dueAt).toBe(s.now + s.view.policy.rateLimitMsMax);
});
