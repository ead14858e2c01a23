import { describe, expect, test } from "vitest";
import { byHand, consumer, emptyCommit, Scenario, version } from "../testing/scenario.ts";
import type { Rows } from "../view/rows.ts";
import type { TableName } from "../view/tables.ts";
import { explain } from "./explain.ts";
import { findWedges, type Wedge, wedgesOfDelay } from "./find-wedges.ts";

const o1 = ["orders", "o1"] as const;

/** A workflow with one order that waits, one that is held and one call that is on its way. */
function busy(): Scenario {
  const s = new Scenario();
  s.do(version(1, 0, { topics: ["orders"], handlers: [consumer("book", ["orders"])] }));
  s.do(byHand(...o1), byHand("orders", "o2"));
  return s;
}

/** Rows as no command makes them: what a broken host or a hand in the database would leave. */
function spoil<T extends TableName>(s: Scenario, table: T, row: Rows[T], more: Partial<Rows[T]>) {
  s.view.put(table, { ...row, ...more });
}

const found = (s: Scenario) => findWedges(s.view, s.now).map(({ kind, id }) => [kind, id]);

describe("a wedge is found where no rule explains the rows:", () => {
  test("[R136] [S32] an event is held by a run that is not open", () => {
    const s = busy();
    const runId = s.prepared("book", [o1]);
    expect(found(s)).toEqual([]);
    spoil(s, "runs", s.view.load("runs", runId), { open: false, status: "aborted" });
    expect(found(s)).toEqual([["orphan_reservation", "orders/o1"]]);
    const event = { kind: "event", topic: "orders", messageId: "o1" } as const;
    expect(explain(s.view, event, s.now).state).toBe("unexplained");
  });

  test("[R136] an event is held by nobody", () => {
    const s = busy();
    spoil(s, "events", s.event(...o1), { status: "reserved" });
    expect(found(s)).toEqual([["orphan_reservation", "orders/o1"]]);
  });

  test("an open run waits for a person whom nobody asked", () => {
    const s = busy();
    const runId = s.prepared("book", [o1]);
    s.failLogic(runId);
    expect(found(s)).toEqual([]);
    for (const row of s.view.rows("attentions")) spoil(s, "attentions", row, { closedAt: s.now });
    expect(found(s)).toEqual([["stuck_run", runId]]);
    expect(explain(s.view, { kind: "run", runId }, s.now).state).toBe("unexplained");
    expect(explain(s.view, { kind: "workflow" }, s.now).state).toBe("unexplained");
  });

  test("an open run has a question, but one whose answer moves nothing", () => {
    const s = busy();
    const runId = s.prepared("book", [o1]);
    s.failLogic(runId);
    for (const row of s.view.rows("attentions")) {
      spoil(s, "attentions", row, { kind: "happened_after_all" });
    }
    expect(found(s)).toEqual([["stuck_run", runId]]);
  });

  test("an open run waits for a time that was never set", () => {
    const s = busy();
    const runId = s.prepared("book", [o1]);
    const failure = { class: "transient", message: "503", location: "shop" } as const;
    s.do({ kind: "pause_run", runId, because: { reason: "backoff", failure, jitter: 0 } });
    expect(found(s)).toEqual([]);
    spoil(s, "runs", s.view.load("runs", runId), { dueAt: null });
    expect(found(s)).toEqual([["stuck_run", runId]]);
  });

  test("an active run has a call that is neither to be sent nor on its way", () => {
    const s = busy();
    const runId = s.prepared("book", [o1]);
    const sent = s.send(runId);
    spoil(s, "mutations", sent, { state: "indeterminate" });
    expect(found(s)).toEqual([["stuck_run", runId]]);
  });

  test("two runs are open at once", () => {
    const s = busy();
    const runId = s.prepared("book", [o1]);
    spoil(s, "runs", s.view.load("runs", runId), { runId: "r99" });
    expect(found(s)).toEqual([["second_open_run", "r99"]]);
  });

  test("a pending event came after its consumer's last look, and nothing wakes that", () => {
    const s = busy();
    expect(found(s)).toEqual([]);
    spoil(s, "topics", s.view.load("topics", "orders"), { lastPendingSeq: 0 });
    const waiting = ["orders/o1", "orders/o2"];
    expect(found(s)).toEqual(waiting.map((id) => ["uncovered_event", id]));
    const event = { kind: "event", topic: "orders", messageId: "o1" } as const;
    expect(explain(s.view, event, s.now).state).toBe("unexplained");
    spoil(s, "handlers", s.handler("book"), { checkedThrough: s.view.head.seq });
    expect(found(s)).toEqual([]);
  });

  test("a topic is for a handler that the active version lacks", () => {
    const s = busy();
    spoil(s, "handlers", s.handler("book"), { declared: false });
    expect(found(s)).toEqual([
      ["uncovered_event", "orders/o1"],
      ["uncovered_event", "orders/o2"],
    ]);
  });

  test("a mutation is not settled, and its run is not open", () => {
    const s = busy();
    const runId = s.prepared("book", [o1]);
    const { mutationId } = s.send(runId);
    expect(found(s)).toEqual([]);
    spoil(s, "runs", s.view.load("runs", runId), { open: false, status: "committed" });
    spoil(s, "events", s.event(...o1), { status: "consumed", reservedBy: null });
    expect(found(s)).toEqual([["orphan_mutation", mutationId]]);
  });

  test("but not where a person gave up on the mutation", () => {
    const s = busy();
    s.do(emptyCommit(s.skippedOver("book", [o1])));
    expect(found(s)).toEqual([]);
  });

  test("an event is consumed, but no run committed with it", () => {
    const s = busy();
    const runId = s.prepared("book", [o1]);
    spoil(s, "events", s.event(...o1), { status: "consumed", reservedBy: null });
    const event = { kind: "event", topic: "orders", messageId: "o1" } as const;
    expect(explain(s.view, event, s.now).state).toBe("unexplained");
    spoil(s, "runs", s.view.load("runs", runId), { open: false });
    expect(explain(s.view, { kind: "run", runId }, s.now).state).toBe("unexplained");
  });

  test("work is due for too long, and nothing was written meanwhile", () => {
    const s = busy();
    const { policy, head } = s.view;
    const summary = { workflow: "orders", head, epoch: 1, factVersion: 1, inboxTail: 0 };
    const delays = (dueAt: number | null, now: number, owner: string | null = null): Wedge[] =>
      wedgesOfDelay({ ...summary, dueAt, owner }, now, policy);
    const dueAt = head.at + 1_000;
    expect(delays(null, dueAt + 10 * policy.overdueMs)).toEqual([]);
    expect(delays(dueAt, dueAt + policy.overdueMs)).toEqual([]);
    const late = dueAt + policy.overdueMs + 1;
    expect(delays(head.at - policy.overdueMs, head.at + policy.overdueMs)).toEqual([]);
    expect(delays(dueAt, late)).toMatchObject([{ kind: "overdue", id: "orders" }]);
    expect(delays(dueAt, late)[0]?.note).toContain("no host works for it");
    expect(delays(dueAt, late, "host1")[0]?.note).toContain("host1 should work for it");
  });
});
