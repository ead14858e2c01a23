import { describe, expect, test } from "vitest";
import {
  bytesOf,
  consumer,
  emptyCommit,
  kindsOf,
  producer,
  publication,
  Scenario,
  version,
} from "../testing/scenario.ts";

function shop(policy = {}): Scenario {
  const s = new Scenario(policy);
  const handlers = [producer("poll"), producer("other"), consumer("book", ["orders"])];
  s.do(version(1, 0, { topics: ["orders"], handlers }));
  return s;
}

const put = (key: string, value: Uint8Array | null) => ({ key, value });

describe("a producer's commit", () => {
  test("[R25] state, publishes and next time land in one change", () => {
    const s = shop();
    expect(s.handler("poll").state).toBeNull();
    const nextRunAt = s.now + 300_000;
    const state = bytesOf({ since: 7 });
    const publishes = [publication("orders", "o1")];
    const runId = s.start("poll");
    const decision = s.do(emptyCommit(runId, { publishes, state, nextRunAt }));
    expect(kindsOf(decision)).toEqual(["input_registered", "event_published", "run_committed"]);
    expect(s.handler("poll")).toMatchObject({ nextRunAt, state: { inline: state } });
    expect(s.event("orders", "o1").status).toBe("pending");
    expect(s.view.load("runs", runId)).toMatchObject({
      phase: "committed",
      status: "committed",
      open: false,
      endedAt: s.now,
    });
  });

  test("[R25] a failed run leaves state, events and next time as they were", () => {
    const s = shop();
    s.produce("poll", { state: bytesOf(1), nextRunAt: 5 });
    const before = s.handler("poll");
    const runId = s.start("poll");
    s.failLogic(runId);
    expect(s.handler("poll")).toEqual(before);
    expect([...s.view.rows("events")]).toEqual([]);
  });

  test("[R47] no returned state keeps the old one", () => {
    const s = shop();
    s.produce("poll", { state: bytesOf(1) });
    s.produce("poll", { state: null });
    expect(s.handler("poll").state?.inline).toEqual(bytesOf(1));
  });

  test("[R27] a state past the limit is refused with everything else of the commit", () => {
    const s = shop({ stateBytesMax: 10 });
    const runId = s.start("poll");
    const publishes = [publication("orders", "o1")];
    const tooBig = emptyCommit(runId, { publishes, state: new Uint8Array(11) });
    expect(s.refused(tooBig)).toBe("limit_exceeded");
    expect(s.view.find("events", "orders", "o1")).toBeNull();
    s.do(emptyCommit(runId, { publishes, state: new Uint8Array(10) }));
    expect(s.handler("poll").state?.size).toBe(10);
  });

  test("a manual producer stays without a next time", () => {
    const s = shop();
    s.produce("poll", { nextRunAt: null });
    expect(s.handler("poll").nextRunAt).toBeNull();
  });

  test("producers of one workflow keep their own schedule and state", () => {
    const s = shop();
    const before = s.handler("other");
    s.produce("poll", { state: bytesOf(1), nextRunAt: 5 });
    expect(s.handler("other")).toEqual(before);
  });

  test("a run of a producer knows neither prepare nor mutate", () => {
    const s = shop();
    const runId = s.start("poll");
    expect(s.refused(s.preparing(runId, []))).toBe("phase_must_be_preparing");
    expect(s.refused({ kind: "finish_mutate", runId })).toBe("phase_must_be_prepared");
  });
});

describe("generated messageIds", () => {
  const publishes = [publication("orders", null), publication("orders", null)];
  const ids = (s: Scenario) => [...s.view.rows("events")].map((event) => event.messageId);

  test("[R146] a retry of the same run chain makes the same ids", () => {
    const straight = shop();
    straight.do(emptyCommit(straight.start("poll"), { publishes }));
    const retried = shop();
    const first = retried.start("poll");
    retried.failLogic(first);
    retried.do({ kind: "retry_run", runId: first, actor: "ada" });
    const second = retried.retry(first);
    retried.do({ kind: "recover_run", incarnation: "h2" });
    retried.do(emptyCommit(retried.retry(second), { publishes }));
    expect(ids(retried)).toEqual(ids(straight));
    expect(new Set(ids(straight)).size).toBe(2);
  });

  test("[R146] another run, handler or place in the list makes another id", () => {
    const s = shop();
    s.produce("poll", { publishes });
    s.produce("poll", { publishes });
    s.produce("other", { publishes });
    expect(new Set(ids(s)).size).toBe(6);
  });
});

describe("what a producer keeps under its own keys", () => {
  const kept = (s: Scenario) =>
    [...s.view.rows("handler_kv")].map((row) => [row.handler, row.key, row.value.inline]);

  test("[R25] is written, overwritten and deleted with the commit", () => {
    const s = shop();
    s.produce("poll", { kv: [put("a", bytesOf(1)), put("b", bytesOf(2))] });
    s.produce("poll", { kv: [put("a", bytesOf(3)), put("b", null), put("gone", null)] });
    expect(kept(s)).toEqual([["poll", "a", bytesOf(3)]]);
  });

  test("the last write of a key in one commit wins", () => {
    const s = shop();
    s.produce("poll", { kv: [put("a", bytesOf(1)), put("a", null), put("a", bytesOf(2))] });
    s.produce("poll", { kv: [put("b", bytesOf(1)), put("b", null)] });
    expect(kept(s)).toEqual([["poll", "a", bytesOf(2)]]);
  });

  test("each producer has a namespace of its own", () => {
    const s = shop();
    s.produce("poll", { kv: [put("a", bytesOf(1))] });
    s.produce("other", { kv: [put("a", bytesOf(2))] });
    expect(kept(s)).toEqual([
      ["poll", "a", bytesOf(1)],
      ["other", "a", bytesOf(2)],
    ]);
  });

  test("a consumer has none, and limits on number, size and key are refusals", () => {
    const s = shop({ kvWritesMax: 1, stateBytesMax: 10 });
    const runId = s.start("poll");
    const two = [put("a", bytesOf(1)), put("b", bytesOf(1))];
    expect(s.refused(emptyCommit(runId, { kv: two }))).toBe("limit_exceeded");
    const big = [put("a", new Uint8Array(11))];
    expect(s.refused(emptyCommit(runId, { kv: big }))).toBe("limit_exceeded");
    expect(s.refused(emptyCommit(runId, { kv: [put("", bytesOf(1))] }))).toBe("id_invalid");
    s.do(emptyCommit(runId));
    const consuming = s.prepared("book", []);
    const kv = [put("a", bytesOf(1))];
    expect(s.refused(emptyCommit(consuming, { kv }))).toBe("handler_not_producer");
  });
});

describe("resetting a producer", () => {
  const reset = { kind: "reset_producer", handler: "poll", actor: "ada" } as const;

  test("[R28, R149] clears state and keys, makes it due now, and says what it does not do", () => {
    const s = shop();
    const kv = [put("a", bytesOf(1))];
    s.produce("poll", { state: bytesOf(1), kv, nextRunAt: s.now + 1e6 });
    s.produce("other", { state: bytesOf(2), kv });
    const { note } = s.do(reset);
    expect(s.handler("poll")).toMatchObject({ state: null, nextRunAt: s.now });
    expect([...s.view.rows("handler_kv")].map((row) => row.handler)).toEqual(["other"]);
    expect(s.handler("other").state?.inline).toEqual(bytesOf(2));
    expect(note).toContain("will not run again without a topic reset");
  });

  test("[R149] what it then finds again is the event it knew", () => {
    const s = shop();
    const publishes = [publication("orders", "o1")];
    s.produce("poll", { publishes });
    s.do(emptyCommit(s.mutated("book", [["orders", "o1"]])));
    s.do(reset);
    s.produce("poll", { publishes });
    expect(s.event("orders", "o1")).toMatchObject({ status: "consumed", attempt: 1 });
  });

  test("is refused while it runs, and for what is no producer", () => {
    const s = shop();
    expect(s.refused({ ...reset, handler: "book" })).toBe("handler_not_producer");
    expect(s.refused({ ...reset, handler: "nobody" })).toBe("handler_not_found");
    s.start("poll");
    expect(s.refused(reset)).toBe("workflow_has_open_run");
    s.do({ ...reset, handler: "other" });
  });
});
