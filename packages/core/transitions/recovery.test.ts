import { describe, expect, test } from "vitest";
import { policyDefaults } from "../policy/policy.ts";
import { nextWork } from "../schedule/next-work.ts";
import * as c from "./command-builder.ts";
import type { Scenario } from "./scenario.ts";
import { errored, inLedgerState, prepared, preparing } from "./state-builder.ts";

const { hostPauseMsMax } = policyDefaults;

function eventOf(s: Scenario) {
  return s.view.load("events", "orders", "e1");
}

describe("another incarnation's row", () => {
  test("[R155] may still be sent until sendBy + timeout + the longest pause of a host", () => {
    const s = inLedgerState("in_flight");
    const sendBy = s.mutationRow().sendBy ?? 0;
    s.run(c.recoverRun("host-2"));
    const quietFrom = sendBy + c.timeoutMs + hostPauseMsMax;
    expect(quietFrom).toBeGreaterThan(s.now);
    expect(s.mutationRow()).toMatchObject({ state: "needs_reconcile", quietFrom });
  });

  test("[R155] or until the takeover, when that is later", () => {
    const s = inLedgerState("in_flight").later(c.dayMs);
    s.run(c.recoverRun("host-2"));
    expect(s.mutationRow().quietFrom).toBe(s.now);
  });

  test("[R68, R155] before it is quiet only applied counts, whatever the asking clock says", () => {
    const s = inLedgerState("in_flight");
    s.run(c.recoverRun("host-2"));
    s.run(c.notFound(s, c.dayMs));
    expect(s.mutationRow().state).toBe("needs_reconcile");
    const found = c.answer(s, { says: "applied", result: null });
    expect(s.ask(found).ok).toBe(true);
    s.now = s.mutationRow().quietFrom ?? 0;
    expect(s.run(c.notFound(s, c.visibilityDelayMs)).mutationRow().state).toBe("failed");
  });

  test("[R155] is not sent again before it is quiet, even under its key", () => {
    const s = inLedgerState("in_flight", { retentionMs: c.dayMs });
    s.run(c.recoverRun("host-2"));
    const { quietFrom, nextAttemptAt } = s.mutationRow();
    expect(quietFrom ?? 0).toBeGreaterThan(nextAttemptAt ?? 0);
    expect(s.refusalOf(c.send(s, "resend_mutation"))).toBe("mutation_waits");
    s.now = (quietFrom ?? 0) - 1;
    expect(s.refusalOf(c.send(s, "resend_mutation"))).toBe("mutation_waits");
    s.later(1);
    expect(s.refusalOf(c.send(s, "resend_mutation"))).toBeNull();
  });

  test("[R155] is reported unsent by its sender alone", () => {
    const s = inLedgerState("in_flight");
    expect(s.refusalOf(c.unsent(s, "host-2"))).toBe("not_the_sender");
    s.run(c.unsent(s, "host-1"));
    expect(s.mutationRow()).toMatchObject({ state: "ready", nextAttemptAt: s.now });
    expect(s.runRow()).toMatchObject({ status: "active", transientCount: 0 });
  });
});

describe("a crash", () => {
  test("[R135] before the change: the events are released and a fresh run prepares", () => {
    const s = prepared();
    const crashed = s.runId;
    s.run(c.recoverRun("host-2"));
    expect(eventOf(s)).toMatchObject({ status: "reserved", reservedBy: crashed });
    s.run(c.onRun("start_retry", s));
    expect(eventOf(s)).toMatchObject({ status: "pending", reservedBy: null });
    expect(s.runRow()).toMatchObject({ phase: "preparing", retryOf: crashed, rootRunId: crashed });
    expect(s.runRow(crashed)).toMatchObject({ open: false, supersededBy: s.runId });
  });

  test("[R135] with a call recorded and not sent: it is simply sent", () => {
    const s = inLedgerState("ready");
    expect(s.refusalOf(c.recoverRun("host-2"))).toBe("mutation_not_uncertain");
    expect(nextWork(s.view, s.now)).toEqual({ kind: "send", mutationId: s.mutationId });
  });

  test("[R48, R53] after the change: next runs with what was prepared and what came of it", () => {
    const s = inLedgerState("applied");
    const before = s.runRow();
    s.run(c.recoverRun("host-2")).run(c.onRun("start_retry", s));
    const { prepareResult, preparedAt, outcome, mutationId } = before;
    expect(s.runRow()).toMatchObject({
      phase: "emitting",
      retryOf: before.runId,
      ...{ prepareResult, preparedAt, outcome, mutationId },
    });
    expect(eventOf(s)).toMatchObject({ status: "reserved", reservedBy: s.runId });
    s.run(c.commitRun(s));
    expect(eventOf(s).status).toBe("consumed");
    expect([...s.view.rows("mutations")]).toHaveLength(1);
  });

  test("[R53] a consumer that replays keeps its selection after a definite failure", () => {
    const s = inLedgerState("failed", { onMutationFailed: "replay" });
    s.run(c.onRun("retry_run", s)).run(c.onRun("start_retry", s));
    expect(s.runRow()).toMatchObject({ phase: "mutating", outcome: null, mutationId: null });
    expect(eventOf(s).reservedBy).toBe(s.runId);
  });

  test("[R52] is retried once: the run that took over stands for it", () => {
    const s = preparing();
    const crashed = s.runId;
    const retry = c.onRun("start_retry", s);
    s.run(c.recoverRun("host-2")).run(retry);
    expect(s.refusalOf(retry)).toBe("run_closed");
    expect([...s.view.rows("runs")].filter((run) => run.retryOf === crashed)).toHaveLength(1);
  });
});

describe("two crashes in a row", () => {
  test("[R162] stop the workflow with a question, and nothing starts until it is answered", () => {
    const s = errored();
    expect(s.view.load("workflows")).toMatchObject({ status: "active" });
    expect(s.view.load("workflows").error).toContain("book");
    expect(s.openQuestions()).toEqual(["crash_loop"]);
    expect(s.refusalOf(c.onRun("start_retry", s))).toBe("workflow_has_error");
    expect(nextWork(s.view, s.now + c.dayMs).kind).toBe("stopped");
    s.run(c.onWorkflow("resume_workflow"));
    expect(s.openQuestions()).toEqual([]);
    expect(s.refusalOf(c.onRun("start_retry", s))).toBeNull();
  });

  test("[R162] are not in a row when a run committed between them", () => {
    const s = inLedgerState("applied");
    s.run(c.recoverRun("host-2")).run(c.onRun("start_retry", s));
    s.run(c.commitRun(s)).run(c.startRun(s)).run(c.recoverRun("host-3"));
    expect(s.view.load("workflows").error).toBeNull();
    expect(s.openQuestions()).toEqual([]);
  });
});
