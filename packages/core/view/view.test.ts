import { describe, expect, test } from "vitest";
import { decide } from "../decide.ts";
import { apply, applyRow } from "../journal/apply.ts";
import type { JournalRecord } from "../journal/record.ts";
import { InvariantError } from "../ports/invariant.ts";
import { nextWork } from "../schedule/next-work.ts";
import { loadFrom, partialView } from "../testing/partial-view.ts";
import {
  byHand,
  bytesOf,
  consumer,
  dump,
  type EventName,
  emptyCommit,
  producer,
  Scenario,
  version,
} from "../testing/scenario.ts";
import { updateRow } from "./row-change.ts";
import { tableNames } from "./tables.ts";

const o1: EventName = ["orders", "o1"];

function shop(): Scenario {
  const s = new Scenario();
  const handlers = [producer("poll"), consumer("book", ["orders"])];
  s.do(version(1, 0, { topics: ["orders"], handlers }));
  s.do(byHand("orders", "o1"));
  s.do(byHand("orders", "o2"));
  return s;
}

describe("a partial view knows what it does not know", () => {
  test("a row that is here, or known to be absent, need not be loaded again", () => {
    const s = shop();
    const runId = s.prepared("book", [o1]);
    const view = partialView(s.view);
    expect(view.has({ kind: "row", table: "runs", key: [runId] })).toBe(true);
    expect(view.has({ kind: "row", table: "runs", key: ["r0"] })).toBe(false);
    const absent = { kind: "row", table: "events", key: ["orders", "none"] } as const;
    expect(view.has(absent)).toBe(false);
    view.add(loadFrom(s.view, [absent]));
    expect(view.has(absent)).toBe(true);
  });

  const unloaded: readonly (readonly [what: string, ask: (s: Scenario) => unknown])[] = [
    ["an event", (s) => partialView(s.view).find("events", "orders", "o1")],
    ["an input", (s) => partialView(s.view).find("inputs", "in_1")],
    ["a run that is closed", (s) => partialView(s.view).find("runs", "r1")],
    ["a key of a producer", (s) => partialView(s.view).find("handler_kv", "poll", "a")],
    ["anything before base is there", (s) => partialView(s.view, []).find("workflows")],
    ["the next work without base", (s) => nextWork(partialView(s.view, []), s.now)],
  ];
  test.each(unloaded)("asking for %s stops the process", (_, ask) => {
    expect(() => ask(shop())).toThrow(InvariantError);
  });

  const decisions = [
    { kind: "skip_event", topic: "orders", messageId: "o1", actor: "ada" },
    { kind: "skip_input", inputId: "in_1", actor: "ada" },
    { kind: "retry_run", runId: "r1", actor: "ada" },
    { kind: "acknowledge", attentionId: "a1", actor: "ada" },
    {
      kind: "send_mutation",
      mutationId: "m1",
      incarnation: "h",
      epoch: 1,
      sendBy: 1,
      timeoutMs: 1,
      verdict: { envelope: 0, grant: 0, says: "allow" },
    },
    byHand("orders", "o1"),
  ] as const;
  test.each(decisions)("a decision without its needs stops the process: $kind", (command) => {
    const s = shop();
    expect(() => decide(partialView(s.view), command, s.now)).toThrow(InvariantError);
  });

  test("what base covers is known to be absent", () => {
    const view = partialView(shop().view);
    expect(view.find("topics", "nowhere")).toBeNull();
    expect(view.find("handlers", "nobody")).toBeNull();
    expect(view.find("brakes", "*")).toBeNull();
  });

  test("what was asked for and is not there is known to be absent, and nothing else", () => {
    const s = shop();
    const need = { kind: "row", table: "events", key: ["orders", "o9"] } as const;
    const view = partialView(s.view, [{ kind: "base" }, need]);
    expect(view.has(need)).toBe(true);
    expect(view.find("events", "orders", "o9")).toBeNull();
    expect(() => view.find("events", "orders", "o8")).toThrow(InvariantError);
  });

  test("rows of another head are not mixed in", () => {
    const s = shop();
    const view = partialView(s.view);
    s.do(byHand("orders", "o3"));
    expect(() => view.add(loadFrom(s.view, [{ kind: "oldest_pending" }]))).toThrow(InvariantError);
  });

  test("a row that must exist stops the process when it does not", () => {
    expect(() => shop().view.load("events", "orders", "o9")).toThrow(InvariantError);
  });
});

describe("trimming to base", () => {
  function trimmed(s: Scenario) {
    const row = { kind: "row", table: "events", key: ["orders", "o2"] } as const;
    const all = [...s.view.rows("inputs")].map(
      ({ inputId }) => ({ kind: "input", inputId }) as const,
    );
    const view = partialView(s.view, [
      { kind: "base" },
      { kind: "oldest_pending" },
      row,
      ...all,
      ...[...s.view.rows("runs")].map(({ runId }) => ({ kind: "run", runId }) as const),
    ]);
    view.trimToBase();
    return view;
  }

  const states: readonly (readonly [what: string, reach: (s: Scenario) => unknown])[] = [
    ["no open run", () => undefined],
    ["a run that holds an event", (s) => s.prepared("book", [o1])],
    ["a call in flight", (s) => s.send(s.prepared("book", [o1]))],
    ["an open question", (s) => s.failLogic(s.mutated("book", [o1]))],
    [
      "a retry that carries a result over",
      (s) => {
        const runId = s.mutated("book", [o1]);
        s.failLogic(runId);
        s.do({ kind: "retry_run", runId, actor: "ada" });
        s.retry(runId);
      },
    ],
    ["a committed run", (s) => s.do(emptyCommit(s.mutated("book", [o1])))],
  ];
  test.each(states)("keeps exactly what base would load: %s", (_, reach) => {
    const s = shop();
    reach(s);
    const view = trimmed(s);
    expect(dump(view)).toEqual(dump(partialView(s.view)));
    expect(view.has({ kind: "base" })).toBe(true);
    expect(view.has({ kind: "oldest_pending" })).toBe(false);
    expect(() => view.find("events", "orders", "o2")).toThrow(InvariantError);
  });

  test("is for an owner's own view only", () => {
    const s = shop();
    expect(() => s.view.trimToBase()).toThrow(InvariantError);
    expect(() => partialView(s.view).fork().trimToBase()).toThrow(InvariantError);
  });

  test("a partial view keeps no table that no decision reads", () => {
    const s = shop();
    const view = partialView(s.view, [{ kind: "base" }]);
    const kept = tableNames.filter((table) => !view.keeps(table));
    expect(kept).toEqual([
      "event_inputs",
      "mutation_evidence",
      "mutation_inputs",
      "verdicts",
      "skipped_firings",
      "machine_frames",
      "older_cells",
    ]);
    expect(tableNames.every((table) => s.view.keeps(table))).toBe(true);
  });
});

describe("a fork", () => {
  test("sees the view below, and nothing written to it shows there", () => {
    const s = shop();
    const before = dump(s.view);
    const fork = s.view.fork();
    const event = fork.load("events", ...o1);
    fork.put("events", { ...event, status: "skipped" });
    fork.remove("events", ["orders", "o2"]);
    fork.head = { ...fork.head, seq: 999 };
    expect(fork.load("events", ...o1).status).toBe("skipped");
    expect(fork.find("events", "orders", "o2")).toBeNull();
    expect([...fork.rows("events")]).toHaveLength(1);
    expect(dump(s.view)).toEqual(before);
    expect(s.view.head.seq).not.toBe(999);
  });

  test("a decision never changes the view it was made on", () => {
    const s = shop();
    const before = dump(s.view);
    const decision = decide(s.view, byHand("orders", "o3", { payload: bytesOf(1) }), s.now);
    expect(decision.ok && decision.after.find("events", "orders", "o3")).not.toBeNull();
    expect(dump(s.view)).toEqual(before);
  });
});

describe("apply", () => {
  test("refuses a record that is not the next one", () => {
    const s = shop();
    const [last] = s.records.slice(-1) as [JournalRecord];
    expect(() => apply(s.view, last)).toThrow(InvariantError);
    expect(() => apply(s.view, { ...last, seq: last.seq + 2 })).toThrow(InvariantError);
  });

  test("refuses a change of a row that is not there", () => {
    const s = shop();
    const change = updateRow("events", ["orders", "o9"], { status: "skipped" });
    expect(() => applyRow(s.view, change)).toThrow(InvariantError);
  });

  test("refuses a step no status may take", () => {
    const s = shop();
    const change = updateRow("events", [...o1], { status: "consumed" });
    expect(() => applyRow(s.view, change)).toThrow(/may not go from pending to consumed/);
  });

  test("time never goes backwards: an older clock is held at the last record", () => {
    const s = shop();
    const at = s.view.head.at;
    s.now -= 500;
    const { records } = s.do(byHand("orders", "o3"));
    expect(records.map((record) => record.at)).toEqual([at, at]);
    expect(s.view.head.at).toBe(at);
  });
});
