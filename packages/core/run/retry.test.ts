import { describe, expect, test } from "vitest";
import { project } from "../journal/project.ts";
import {
  byHand,
  call,
  consumer,
  type EventName,
  emptyCommit,
  factsOf,
  kindsOf,
  phasesToRun,
  producer,
  Scenario,
  version,
} from "../testing/scenario.ts";

function shop(onMutationFailed: "prepare" | "replay" = "prepare"): Scenario {
  const s = new Scenario();
  const handlers = [producer("poll"), consumer("book", ["orders"], { onMutationFailed })];
  s.do(version(1, 0, { topics: ["orders"], handlers }));
  for (const id of ["o1", "o2"]) s.do(byHand("orders", id));
  return s;
}

const o1: EventName = ["orders", "o1"];
const o2: EventName = ["orders", "o2"];
const order = (runId: string) => ({ kind: "retry_run", runId, actor: "ada" }) as const;
const refusal = { class: "logic", message: "422", location: "book" } as const;

/** A run whose call definitely did not happen. */
function callFailed(s: Scenario): string {
  const runId = s.prepared("book", [o1, o2]);
  const { mutationId } = s.send(runId);
  s.settle(mutationId, { says: "failed", failure: refusal, jitter: 0 });
  return runId;
}

describe("the chain of attempts", () => {
  test("[R52] each retry is a run of its own, linked to the one before and to the first", () => {
    const s = shop();
    const first = s.start("book");
    s.failLogic(first);
    s.do(order(first));
    const second = s.retry(first);
    s.failLogic(second);
    s.do(order(second));
    const third = s.retry(second);
    const links = [...s.view.rows("runs")].map((run) => ({
      id: run.runId,
      of: run.retryOf,
      root: run.rootRunId,
      by: run.supersededBy,
      open: run.open,
    }));
    expect(links).toEqual([
      { id: first, of: null, root: first, by: second, open: false },
      { id: second, of: first, root: first, by: third, open: false },
      { id: third, of: second, root: first, by: null, open: true },
    ]);
    expect(s.view.load("runs", first).status).toBe("failed:logic");
  });

  test("[R52] a run is retried once", () => {
    const s = shop();
    const runId = s.start("book");
    s.failLogic(runId);
    expect(s.refused({ kind: "start_retry", runId })).toBe("retry_not_ordered");
    s.do(order(runId));
    expect(s.refused(order(runId))).toBe("retry_already_ordered");
    s.retry(runId);
    expect(s.refused({ kind: "start_retry", runId })).toBe("run_closed");
    expect(s.refused(order(runId))).toBe("run_closed");
  });

  test("[R55] only one run of a workflow is ever open", () => {
    const s = shop();
    const runId = s.start("book");
    const start = { kind: "start_run", handler: "poll", asOf: 0, trigger: null } as const;
    expect(s.refused(start)).toBe("run_open_already");
    s.failLogic(runId);
    expect(s.refused(start)).toBe("run_open_already");
    s.do(order(runId));
    const second = s.retry(runId);
    s.do(s.preparing(second, []), emptyCommit(second));
    s.do(start);
    expect([...s.view.rows("runs")].filter((run) => run.open)).toHaveLength(1);
  });

  test("[R54] a run keeps the script version it began with; only its retry takes a new one", () => {
    const s = shop();
    const runId = s.mutated("book", [o1]);
    expect(s.view.load("runs", runId).version).toBe("1.0");
    s.failLogic(runId);
    s.do(version(2, 0, { topics: ["orders"], handlers: [consumer("book", ["orders"])] }));
    expect(s.view.load("runs", runId).version).toBe("1.0");
    expect(s.view.load("runs", s.retry(runId)).version).toBe("2.0");
  });

  test("a run that has not failed is not retried", () => {
    const s = shop();
    const runId = s.start("book");
    expect(s.refused(order(runId))).toBe("run_not_failed");
    s.do({ kind: "pause_run", runId, because: { reason: "user" } });
    expect(s.refused(order(runId))).toBe("run_not_failed");
    expect(s.refused(order("r999"))).toBe("run_not_found");
  });
});

describe("where a retry starts", () => {
  test("[R53] before any call: afresh, its events released in the same change", () => {
    const s = shop();
    const runId = s.prepared("book", [o1, o2]);
    s.failLogic(runId);
    s.do(order(runId));
    expect(s.event(...o1).reservedBy).toBe(runId);
    const decision = s.do({ kind: "start_retry", runId });
    expect(kindsOf(decision)).toEqual(["events_released", "run_started"]);
    expect(phasesToRun(decision.actions)).toEqual(["prepare"]);
    expect(s.openRun()).toMatchObject({ phase: "preparing", prepareResult: null });
    expect([s.event(...o1).status, s.event(...o2).status]).toEqual(["pending", "pending"]);
    expect([...s.view.rows("reservations")]).toHaveLength(2);
    s.do(s.preparing(s.openRun().runId, [o2]));
    expect(s.event(...o2).deliveryCount).toBe(2);
  });

  test("[R53] after a definite failure of the call: afresh by default", () => {
    const s = shop();
    const runId = callFailed(s);
    s.do(order(runId));
    s.retry(runId);
    expect(s.openRun()).toMatchObject({ phase: "preparing", outcome: null, mutationId: null });
    expect(s.event(...o1).status).toBe("pending");
  });

  test("a consumer that asked to replay keeps result and events and runs mutate again", () => {
    const s = shop("replay");
    const runId = callFailed(s);
    const { prepareResult, preparedAt } = s.view.load("runs", runId);
    s.do(order(runId));
    const { actions } = s.do({ kind: "start_retry", runId });
    expect(phasesToRun(actions)).toEqual(["mutate"]);
    const run = s.openRun();
    expect(run).toMatchObject({ phase: "mutating", prepareResult, preparedAt, mutationId: null });
    expect(s.event(...o1).reservedBy).toBe(run.runId);
    s.do(call(run.runId));
    expect([...s.view.rows("mutations")].map((m) => m.state)).toEqual(["failed", "ready"]);
  });

  test("asking to replay means nothing before a call has failed", () => {
    const s = shop("replay");
    const runId = s.prepared("book", [o1]);
    s.failLogic(runId);
    s.do(order(runId));
    s.retry(runId);
    expect(s.openRun().phase).toBe("preparing");
  });

  test.each([
    ["applied", (s: Scenario) => s.mutated("book", [o1, o2])],
    ["skipped", (s: Scenario) => s.skippedOver("book", [o1, o2])],
  ])("[R53] after the change is %s: at next, the events handed over", (outcome, reach) => {
    const s = shop();
    const runId = reach(s);
    s.failLogic(runId);
    s.do(order(runId));
    const decision = s.do({ kind: "start_retry", runId });
    expect(kindsOf(decision)).toEqual(["run_started"]);
    // The event stays reserved; a store takes a status that is named for an edge, and refuses it.
    const named = decision.records.flatMap(project).filter((row) => row.op === "update");
    expect(named.filter(({ set }) => "status" in set)).toEqual([]);
    const next = s.openRun();
    expect(next).toMatchObject({ phase: "emitting", outcome });
    expect(s.event(...o1)).toMatchObject({ reservedBy: next.runId, status: "reserved" });
    const held = [...s.view.rows("reservations")].map((row) => [row.runId, row.messageId]);
    expect(held).toEqual([
      [runId, "o1"],
      [runId, "o2"],
      [next.runId, "o1"],
      [next.runId, "o2"],
    ]);
  });

  test("[R53] a producer starts over", () => {
    const s = shop();
    const runId = s.start("poll");
    s.failLogic(runId);
    s.do(order(runId));
    const { actions } = s.do({ kind: "start_retry", runId });
    expect(phasesToRun(actions)).toEqual(["handler"]);
    expect(s.openRun().phase).toBe("executing");
  });
});

describe("stopping for good", () => {
  test("releases the events, ends the run and pauses the workflow", () => {
    const s = shop();
    const runId = s.prepared("book", [o1]);
    s.do(call(runId));
    const decision = s.do({ kind: "stop_run", runId, actor: "ada" });
    expect(kindsOf(decision)).toEqual([
      "mutation_failed",
      "events_released",
      "run_aborted",
      "workflow_paused",
    ]);
    expect(factsOf(decision)[0]).toMatchObject({ resolution: { kind: "withdrawn" } });
    expect(s.event(...o1).status).toBe("pending");
    expect(s.nextWork()).toMatchObject({ kind: "stopped" });
  });

  test("is refused while the call may have been sent", () => {
    const s = shop();
    const { runId } = s.send(s.prepared("book", [o1]));
    expect(s.refused({ kind: "stop_run", runId, actor: "ada" })).toBe("run_waits_for_outcome");
  });
});
