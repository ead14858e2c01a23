import { describe, expect, test } from "vitest";
import {
  byHand,
  bytesOf,
  call,
  consumer,
  type EventName,
  emptyCommit,
  factsOf,
  kindsOf,
  phasesToRun,
  producer,
  publication,
  Scenario,
  version,
} from "../testing/scenario.ts";

function shop(policy = {}): Scenario {
  const s = new Scenario(policy);
  const handlers = [producer("poll"), consumer("book", ["orders"], { publishes: ["booked"] })];
  s.do(version(1, 0, { topics: ["orders"], observed: ["booked", "sent"], handlers }));
  for (const id of ["o1", "o2", "o3"]) s.do(byHand("orders", id));
  return s;
}

const o1: EventName = ["orders", "o1"];
const o2: EventName = ["orders", "o2"];

describe("the commit of a consumer", () => {
  test("[R46] events, publishes, state and run end in one change", () => {
    const s = shop();
    const runId = s.mutated("book", [o1, o2]);
    const state = bytesOf({ count: 2 });
    const commit = emptyCommit(runId, { publishes: [publication("booked", "b1")], state });
    const decision = s.do(commit);
    expect(kindsOf(decision)).toEqual(["event_published", "run_advanced", "run_committed"]);
    expect([s.event(...o1).status, s.event(...o2).status]).toEqual(["consumed", "consumed"]);
    expect(s.event("orders", "o3").status).toBe("pending");
    expect(s.event(...o1).reservedBy).toBeNull();
    expect(s.handler("book").state?.inline).toEqual(state);
    expect(s.view.load("runs", runId)).toMatchObject({ status: "committed", open: false });
    expect(s.refused(commit)).toBe("run_closed");
  });

  test("[R46] one bad publish commits nothing of it", () => {
    const s = shop();
    const runId = s.mutated("book", [o1]);
    const publishes = [publication("booked", "b1"), publication("sent", "s1")];
    expect(s.refused(emptyCommit(runId, { publishes }))).toBe("topic_not_publishable");
    expect(s.event(...o1).status).toBe("reserved");
    expect(s.view.find("events", "booked", "b1")).toBeNull();
  });

  test("[R46] after a person skipped the change, the events are skipped, not consumed", () => {
    const s = shop();
    const runId = s.skippedOver("book", [o1, o2]);
    const decision = s.do(emptyCommit(runId));
    expect(factsOf(decision).at(-1)).toMatchObject({ disposition: "skipped" });
    expect([s.event(...o1).status, s.event(...o2).status]).toEqual(["skipped", "skipped"]);
  });

  test("a mutate without a call consumes its events and next hears none", () => {
    const s = shop();
    const runId = s.prepared("book", [o1]);
    const { actions } = s.do({ kind: "finish_mutate", runId });
    expect(phasesToRun(actions)).toEqual(["next"]);
    expect(s.view.load("runs", runId)).toMatchObject({ phase: "mutated", outcome: "none" });
    s.do(emptyCommit(runId));
    expect(s.event(...o1).status).toBe("consumed");
    expect([...s.view.rows("mutations")]).toEqual([]);
  });

  test("[R44] next is ordered whatever came of the change, and with nothing reserved too", () => {
    const outcomes = {
      applied: (s: Scenario) => s.mutated("book", [o1]),
      skipped: (s: Scenario) => s.skippedOver("book", [o1]),
      none: (s: Scenario) => {
        const runId = s.prepared("book", [o1]);
        s.do({ kind: "finish_mutate", runId });
        return runId;
      },
    };
    for (const [outcome, reach] of Object.entries(outcomes)) {
      const s = shop();
      const runId = reach(s);
      expect(phasesToRun(s.actions)).toEqual(["prepare", "next"]);
      expect(s.view.load("runs", runId)).toMatchObject({ outcome, phase: "mutated" });
    }
    const s = shop();
    const runId = s.prepared("book", []);
    expect(s.nextWork()).toEqual({ kind: "continue_run", runId });
  });

  test("[R47] a returned state replaces the old one, none keeps it", () => {
    const s = shop();
    s.do(emptyCommit(s.mutated("book", [o1]), { state: bytesOf({ a: 1, b: 2 }) }));
    s.do(emptyCommit(s.prepared("book", []), { state: null }));
    expect(s.handler("book").state?.inline).toEqual(bytesOf({ a: 1, b: 2 }));
    s.do(emptyCommit(s.prepared("book", []), { state: bytesOf({ a: 3 }) }));
    expect(s.handler("book").state?.inline).toEqual(bytesOf({ a: 3 }));
  });

  test("[R47] a state past the limit is refused and the run keeps its events", () => {
    const s = shop({ stateBytesMax: 4 });
    const runId = s.mutated("book", [o1]);
    expect(s.refused(emptyCommit(runId, { state: new Uint8Array(5) }))).toBe("limit_exceeded");
    expect(s.event(...o1).reservedBy).toBe(runId);
  });

  test("a consumer's commit sets no schedule", () => {
    const s = shop();
    s.do(emptyCommit(s.prepared("book", []), { nextRunAt: s.now }));
    expect(s.handler("book").nextRunAt).toBeNull();
  });

  const early: readonly (readonly [phase: string, reach: (s: Scenario) => string])[] = [
    ["preparing", (s) => s.start("book")],
    ["prepared", (s) => s.prepared("book", [o1])],
    ["mutating", (s) => s.send(s.prepared("book", [o1])).runId],
  ];
  test.each(early)("[R46] is refused in phase %s", (phase, reach) => {
    const s = shop();
    const runId = reach(s);
    expect(s.view.load("runs", runId).phase).toBe(phase);
    expect(s.refused(emptyCommit(runId))).toBe("phase_must_be_emitting");
  });
});

describe("next that fails after the change has happened", () => {
  test("[R49, R56] blocks the workflow and keeps mutation and events", () => {
    const s = shop();
    const runId = s.mutated("book", [o1]);
    const applied = [...s.view.rows("mutations")];
    s.failLogic(runId);
    expect([...s.view.rows("mutations")]).toEqual(applied);
    expect(s.event(...o1).reservedBy).toBe(runId);
    expect(s.nextWork()).toMatchObject({ kind: "wait", until: null });
    expect(s.refused({ kind: "start_run", handler: "poll", asOf: 0, trigger: null })).toBe(
      "run_open_already",
    );
    expect([...s.view.rows("attentions")]).toMatchObject([
      { kind: "run_failed", subject: runId, answers: ["retry", "stop"] },
    ]);
  });

  test("[R49] nobody can drop it: stopping and skipping are refused", () => {
    const s = shop();
    const runId = s.mutated("book", [o1]);
    s.failLogic(runId);
    const stop = { kind: "stop_run", runId, actor: "ada" } as const;
    expect(s.refused(stop)).toBe("run_waits_for_outcome");
    const skip = { kind: "skip_event", topic: "orders", messageId: "o1", actor: "ada" } as const;
    expect(s.refused(skip)).toBe("event_behind_mutation");
  });

  test("[R48, R53, R49] its retry runs next alone, with the same result and no second call", () => {
    const s = shop();
    const runId = s.mutated("book", [o1]);
    const before = s.view.load("runs", runId);
    s.failLogic(runId);
    s.do({ kind: "retry_run", runId, actor: "ada" });
    const { actions } = s.do({ kind: "start_retry", runId });
    expect(phasesToRun(actions)).toEqual(["next"]);
    const after = s.openRun();
    expect(after).toMatchObject({ phase: "emitting", outcome: "applied", retryOf: runId });
    const { prepareResult, preparedAt, mutationId, selectionId, trigger } = before;
    expect(after).toMatchObject({ prepareResult, preparedAt, mutationId, selectionId, trigger });
    expect(s.refused(call(after.runId))).toBe("phase_must_be_prepared");
    s.do(emptyCommit(after.runId));
    expect(s.event(...o1).status).toBe("consumed");
    expect([...s.view.rows("mutations")]).toHaveLength(1);
  });

  test("[R48, R105] any number of times, always from the same ledger row", () => {
    const s = shop();
    const first = s.mutated("book", [o1]);
    const { mutationId } = s.view.load("runs", first);
    let runId = first;
    for (let round = 0; round < 3; round += 1) {
      s.failLogic(runId);
      s.do({ kind: "retry_run", runId, actor: "ada" });
      runId = s.retry(runId);
      expect(s.openRun()).toMatchObject({ mutationId, rootRunId: first, outcome: "applied" });
    }
    s.do(emptyCommit(runId));
    expect(s.event(...o1)).toMatchObject({ status: "consumed", deliveryCount: 1 });
  });
});
