import { describe, expect, test } from "vitest";
import type { CoreCommand } from "../command.ts";
import {
  byHand,
  call,
  consumer,
  type EventName,
  emptyCommit,
  kindsOf,
  phasesToRun,
  producer,
  Scenario,
  version,
} from "../testing/scenario.ts";

function shop(): Scenario {
  const s = new Scenario();
  const handlers = [producer("poll"), consumer("book", ["orders"])];
  s.do(version(1, 0, { topics: ["orders"], handlers }));
  s.do(byHand("orders", "o1"));
  return s;
}

const o1: EventName = ["orders", "o1"];
const failure = { class: "transient", message: "503", location: "book" } as const;
const backOff = (runId: string, jitter = 0): CoreCommand => ({
  kind: "pause_run",
  runId,
  because: { reason: "backoff", failure, jitter },
});
const resume = (runId: string, actor: string) => ({ kind: "resume_run", runId, actor }) as const;

describe("backing off", () => {
  test("[R141, R108] delays double from try to try, counted in the run's row", () => {
    const s = shop();
    const runId = s.start("book");
    const delays: (number | null)[] = [];
    for (let tryNo = 1; tryNo <= 5; tryNo += 1) {
      s.do(backOff(runId, tryNo === 5 ? 0.5 : 0));
      const { dueAt, transientCount } = s.view.load("runs", runId);
      expect(transientCount).toBe(tryNo);
      delays.push(dueAt === null ? null : dueAt - s.now);
      s.now = dueAt ?? s.now;
      s.do(resume(runId, "host"));
    }
    expect(delays).toEqual([10_000, 20_000, 40_000, 80_000, 176_000]);
  });

  test("[R108] used-up tries ask a person, and run, phase and events stay", () => {
    const s = shop();
    const runId = s.mutated("book", [o1]);
    for (let tryNo = 1; tryNo <= 5; tryNo += 1) {
      s.do(backOff(runId));
      s.now = s.view.load("runs", runId).dueAt ?? s.now;
      s.do(resume(runId, "host"));
    }
    s.do(backOff(runId));
    const exhausted = { status: "paused:transient", phase: "mutated", dueAt: null, open: true };
    expect(s.view.load("runs", runId)).toMatchObject({ ...exhausted, outcome: "applied" });
    expect(s.event(...o1).reservedBy).toBe(runId);
    expect([...s.view.rows("attentions")]).toMatchObject([
      { kind: "retries_exhausted", subject: runId, closedAt: null },
    ]);
    expect(s.nextWork(s.now + 1e9)).toMatchObject({ kind: "wait", until: null });
    expect(s.refused(resume(runId, "host"))).toBe("run_is_due_later");
  });

  test("a person's resume gives all tries back and closes the question", () => {
    const s = shop();
    const runId = s.start("book");
    for (let tryNo = 1; tryNo <= 6; tryNo += 1) {
      s.do(backOff(runId));
      if (tryNo < 6) s.do(resume(runId, "host-skips-the-wait"));
    }
    s.do(resume(runId, "ada"));
    expect(s.view.load("runs", runId)).toMatchObject({ status: "active", transientCount: 0 });
    expect([...s.view.rows("attentions")].filter((row) => row.closedAt === null)).toEqual([]);
  });

  test("the host resumes at the due time and not a millisecond before", () => {
    const s = shop();
    const runId = s.prepared("book", [o1]);
    s.do(backOff(runId));
    s.now += 9_999;
    expect(s.refused(resume(runId, "host"))).toBe("run_is_due_later");
    s.now += 1;
    expect(phasesToRun(s.do(resume(runId, "host")).actions)).toEqual(["mutate"]);
  });

  test("[R150] waiting for a rate limit has its time and uses up no try", () => {
    const s = shop();
    const runId = s.start("book");
    const until = s.now + 7_000;
    s.do({ kind: "pause_run", runId, because: { reason: "rate_limit", until } });
    expect(s.view.load("runs", runId)).toMatchObject({
      status: "paused:transient",
      reason: "rate_limit",
      dueAt: until,
      transientCount: 0,
    });
  });
});

describe("a paused run goes on as itself", () => {
  const phases: readonly (readonly [
    phase: string,
    next: string,
    reach: (s: Scenario) => string,
  ])[] = [
    ["preparing", "prepare", (s) => s.start("book")],
    ["prepared", "mutate", (s) => s.prepared("book", [o1])],
    ["mutated", "next", (s) => s.mutated("book", [o1])],
    ["executing", "handler", (s) => s.start("poll")],
  ];
  test.each(phases)("[R153] paused in %s, it runs %s from the top", (phase, next, reach) => {
    const s = shop();
    const runId = reach(s);
    s.do({ kind: "pause_run", runId, because: { reason: "user" } });
    expect(s.view.load("runs", runId)).toMatchObject({ phase, status: "paused:user" });
    const { actions } = s.do(resume(runId, "ada"));
    expect(phasesToRun(actions)).toEqual([next]);
    expect(s.view.load("runs", runId)).toMatchObject({ phase, status: "active" });
  });

  test("[R153] a recorded call is kept: no handler runs, the call is what is left", () => {
    const s = shop();
    const runId = s.prepared("book", [o1]);
    s.do(call(runId));
    s.do({ kind: "pause_run", runId, because: { reason: "user" } });
    expect(phasesToRun(s.do(resume(runId, "ada")).actions)).toEqual([]);
    expect(s.nextWork()).toMatchObject({ kind: "send" });
  });

  test.each(["auth", "permission", "precondition", "budget"] as const)(
    "[R150] %s is a pause for a person with its reason",
    (reason) => {
      const s = shop();
      const runId = s.start("book");
      s.do({ kind: "pause_run", runId, because: { reason, failure } });
      expect(s.view.load("runs", runId)).toMatchObject({ status: "paused:approval", reason });
      expect([...s.view.rows("attentions")]).toMatchObject([{ kind: "action_needed" }]);
      expect(s.refused(resume(runId, "host"))).toBe("run_is_due_later");
      s.do(resume(runId, "ada"));
    },
  );

  test("[R150] a held call pauses its run for the brake, until the last brake on it is off", () => {
    const s = shop();
    const runId = s.prepared("book", [o1]);
    s.do(call(runId));
    const brake = (operation: string) =>
      s.do({ kind: "set_brake", operation, reason: "look", actor: "ada" });
    const release = (operation: string) => {
      const { actions } = s.do({ kind: "release_brake", operation, actor: "ada" });
      return phasesToRun(actions);
    };
    brake("shop.book");
    brake("*");
    const held = { status: "paused:approval", reason: "brake", phase: "mutating", failure: null };
    expect(s.view.load("runs", runId)).toMatchObject(held);
    expect(s.refused(resume(runId, "ada"))).toBe("brake_is_on");
    expect(s.refused(resume(runId, "host"))).toBe("brake_is_on");
    expect(release("shop.book")).toEqual([]);
    expect(s.view.load("runs", runId)).toMatchObject(held);
    // No handler runs: the recorded call is what is left.
    expect(release("*")).toEqual([]);
    expect(s.view.load("runs", runId)).toMatchObject({ status: "active", reason: null });
    expect(s.nextWork()).toMatchObject({ kind: "send" });
    expect([...s.view.rows("attentions")]).toMatchObject([{ answer: "released", closedBy: "ada" }]);
  });

  test("[R150] a metered call that is held pauses its run, if the brake is still on", () => {
    const s = shop();
    const runId = s.prepared("book", [o1]);
    const failure = { class: "permission", message: "held", location: "shop.ask" } as const;
    const wait = () => s.do({ kind: "pause_run", runId, because: { reason: "brake", failure } });
    const turn = (kind: "set_brake" | "release_brake", operation: string) =>
      s.do({ kind, operation, reason: "look", actor: "ada" });
    turn("set_brake", "shop.book");
    expect(wait().records).toEqual([]);
    turn("set_brake", "shop.ask");
    wait();
    const held = { status: "paused:approval", reason: "brake", failure };
    expect(s.view.load("runs", runId)).toMatchObject(held);
    expect(s.nextWork()).toMatchObject({ kind: "wait", until: null });
    turn("set_brake", "*");
    turn("release_brake", "shop.ask");
    expect(s.view.load("runs", runId)).toMatchObject(held);
    turn("release_brake", "*");
    expect(s.nextWork()).toEqual({ kind: "continue_run", runId });
    expect([...s.view.rows("attentions")]).toMatchObject([{ answer: "released", closedBy: "ada" }]);
  });

  test("[R150] a run that holds nothing back is not paused by a brake", () => {
    const s = shop();
    const runId = s.prepared("book", [o1]);
    s.do({ kind: "set_brake", operation: "*", reason: "look", actor: "ada" });
    expect(s.view.load("runs", runId)).toMatchObject({ status: "active", reason: null });
    s.do({ kind: "pause_run", runId, because: { reason: "user" } });
    s.do({ kind: "release_brake", operation: "*", actor: "ada" });
    expect(s.view.load("runs", runId)).toMatchObject({ status: "paused:user", reason: "user" });
  });

  test("a run is neither paused nor failed while its call may have been sent", () => {
    const s = shop();
    const { runId } = s.send(s.prepared("book", [o1]));
    expect(s.refused(backOff(runId))).toBe("run_waits_for_outcome");
    const logic = { class: "logic", message: "", location: "" } as const;
    expect(s.refused({ kind: "fail_run", runId, failure: logic })).toBe("run_waits_for_outcome");
  });
});

describe("a new owner", () => {
  const recover = { kind: "recover_run", incarnation: "h2" } as const;

  test.each([
    ["preparing", "preparing", (s: Scenario) => s.start("book")],
    ["prepared", "preparing", (s: Scenario) => s.prepared("book", [o1])],
    ["mutated", "emitting", (s: Scenario) => s.mutated("book", [o1])],
    ["executing", "executing", (s: Scenario) => s.start("poll")],
  ])("retries a run that died in %s from %s", (_, from, reach) => {
    const s = shop();
    const runId = reach(s);
    expect(kindsOf(s.do(recover))).toEqual(["run_crashed", "run_retry_ordered"]);
    expect(s.view.load("runs", runId)).toMatchObject({ status: "crashed", retryFrom: from });
    expect(s.nextWork()).toEqual({ kind: "start_retry", runId });
  });

  test("[R162] two deaths in a row stop the workflow with a question, a commit forgives", () => {
    const s = shop();
    const first = s.start("book");
    s.do(recover);
    const second = s.retry(first);
    s.do(recover);
    expect(s.view.load("workflows").error).toContain("2 times in a row");
    expect([...s.view.rows("attentions")]).toMatchObject([{ kind: "crash_loop", subject: null }]);
    expect(s.refused({ kind: "start_retry", runId: second })).toBe("workflow_has_error");
    s.do({ kind: "resume_workflow", actor: "ada" });
    expect([...s.view.rows("attentions")]).toMatchObject([{ closedBy: "ada" }]);
    const third = s.retry(second);
    s.do(s.preparing(third, []), emptyCommit(third));
    expect(s.handler("book").crashCount).toBe(0);
  });

  test("leaves alone what can wait: nothing open, a paused run, a call not sent", () => {
    const s = shop();
    expect(s.refused(recover)).toBe("run_not_found");
    const runId = s.prepared("book", [o1]);
    s.do({ kind: "pause_run", runId, because: { reason: "user" } });
    expect(s.refused(recover)).toBe("run_not_active");
    s.do(resume(runId, "ada"));
    s.do(call(runId));
    expect(s.refused(recover)).toBe("mutation_not_uncertain");
    expect(s.nextWork()).toMatchObject({ kind: "send" });
  });
});
