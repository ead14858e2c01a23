import { describe, expect, test } from "vitest";
import {
  asking,
  byHand,
  bytesOf,
  call,
  consumer,
  emptyCommit,
  kindsOf,
  producer,
  publication,
  Scenario,
  version,
} from "../testing/scenario.ts";
import { inputIdOf } from "./input-id.ts";

const mail = { source: "imap", type: "mail", externalId: "1" };
const inputId = inputIdOf(mail);
const actor = "ada";
const skip = (messageId: string) =>
  ({ kind: "skip_event", topic: "orders", messageId, actor }) as const;
const again = (messageId: string) =>
  ({ kind: "reprocess_event", topic: "orders", messageId, actor }) as const;
const skipInput = { kind: "skip_input", inputId, actor } as const;

/** One mail caused o1, o2 and o3; o4 came by hand. */
function shop(): Scenario {
  const s = new Scenario();
  const handlers = [producer("poll"), consumer("book", ["orders"])];
  s.do(version(1, 0, { topics: ["orders"], observed: ["audit"], handlers }));
  const publishes = ["o1", "o2", "o3"].map((id) => publication("orders", id, { inputId }));
  s.produce("poll", { inputs: [{ ...mail, title: "Mail" }], publishes });
  s.do(byHand("orders", "o4"));
  return s;
}

const statuses = (s: Scenario) =>
  ["o1", "o2", "o3", "o4"].map((id) => s.event("orders", id).status);

describe("skipping an event", () => {
  test("[R121] a pending event is skipped and stays out", () => {
    const s = shop();
    s.do(skip("o1"));
    expect(statuses(s)).toEqual(["skipped", "pending", "pending", "pending"]);
    expect(s.refused(skip("o1"))).toBe("event_already_skipped");
  });

  test("[R121] held before the outside change: the run ends, the others are let go", () => {
    const s = shop();
    const runId = s.prepared("book", [
      ["orders", "o1"],
      ["orders", "o2"],
    ]);
    s.do(skip("o1"));
    expect(statuses(s)).toEqual(["skipped", "pending", "pending", "pending"]);
    expect(s.view.load("runs", runId)).toMatchObject({ status: "aborted", open: false });
    expect(s.event("orders", "o2").reservedBy).toBeNull();
    expect(s.nextWork()).toMatchObject({ kind: "start_run", handler: "book", why: "event" });
  });

  test("[R121] a call that waits for approval is withdrawn with the run", () => {
    const s = shop();
    const runId = s.prepared("book", [["orders", "o1"]]);
    s.do(call(runId, { ask: asking(s.now + 1_000) }));
    s.do(skip("o1"));
    expect([...s.view.rows("mutations")]).toMatchObject([{ state: "failed" }]);
    expect([...s.view.rows("attentions")].filter((row) => row.closedAt === null)).toEqual([]);
  });

  test("[R121] once the call may have been sent, the event can no longer be taken away", () => {
    const s = shop();
    const runId = s.prepared("book", [["orders", "o1"]]);
    const { mutationId } = s.send(runId);
    expect(s.refused(skip("o1"))).toBe("event_behind_mutation");
    s.settle(mutationId, { says: "applied", result: null });
    expect(s.refused(skip("o1"))).toBe("event_behind_mutation");
    s.do(emptyCommit(runId));
    expect(s.refused(skip("o1"))).toBe("event_already_consumed");
  });

  test("an event nobody published cannot be skipped or reprocessed", () => {
    const s = shop();
    expect(s.refused(skip("o9"))).toBe("event_not_found");
    expect(s.refused(again("o9"))).toBe("event_not_found");
  });
});

describe("skipping an input", () => {
  test("[R121] all its pending events go, events of others stay", () => {
    const s = shop();
    s.do(skipInput);
    expect(statuses(s)).toEqual(["skipped", "skipped", "skipped", "pending"]);
    expect(s.refused(skipInput)).toBe("input_already_skipped");
  });

  test("[R121] held before the outside change: run aborted, whole reservation released", () => {
    const s = shop();
    const runId = s.prepared("book", [
      ["orders", "o1"],
      ["orders", "o4"],
    ]);
    s.do(skipInput);
    expect(statuses(s)).toEqual(["skipped", "skipped", "skipped", "pending"]);
    expect(s.view.load("runs", runId).status).toBe("aborted");
  });

  test("[R121] after the change the run completes, and the note counts what was done", () => {
    const s = shop();
    s.do(emptyCommit(s.mutated("book", [["orders", "o1"]])));
    const runId = s.prepared("book", [["orders", "o2"]]);
    const { mutationId } = s.send(runId, { identity: bytesOf({ id: 2 }) });
    const { note } = s.do(skipInput);
    expect(note).toBe(
      "1 skipped, 1 done already, 1 being finished because their outside change may have happened",
    );
    s.settle(mutationId, { says: "applied", result: null });
    s.do(emptyCommit(runId));
    expect(statuses(s)).toEqual(["consumed", "consumed", "skipped", "pending"]);
  });

  test("an input that is wholly done has nothing to skip", () => {
    const s = shop();
    const all = ["o1", "o2", "o3"].map((id) => ["orders", id] as const);
    s.do(emptyCommit(s.mutated("book", all)));
    expect(s.refused(skipInput)).toBe("input_not_skippable");
  });
});

describe("reprocessing", () => {
  test("[R125] raises the attempt and makes the event pending", () => {
    const s = shop();
    s.do(emptyCommit(s.mutated("book", [["orders", "o1"]])));
    s.do(again("o1"));
    expect(s.event("orders", "o1")).toMatchObject({ status: "pending", attempt: 2 });
    expect(s.refused(again("o1"))).toBe("event_is_pending");
  });

  test("[R125] a new attempt may change the outside once more, under a key of its own", () => {
    const s = shop();
    s.do(emptyCommit(s.mutated("book", [["orders", "o1"]])));
    s.do(again("o1"));
    s.do(emptyCommit(s.mutated("book", [["orders", "o1"]])));
    const [first, second] = [...s.view.rows("mutations")];
    expect(second?.mutationKey).not.toBe(first?.mutationKey);
    expect(s.event("orders", "o1").deliveryCount).toBe(2);
  });

  test("[R125] is refused while a suspended run holds the event, and names the run", () => {
    const s = shop();
    const runId = s.prepared("book", [["orders", "o1"]]);
    s.do({ kind: "pause_run", runId, because: { reason: "user" } });
    expect(s.refusal(again("o1"))).toEqual({
      code: "event_is_reserved",
      note: `Run ${runId} holds the event.`,
    });
    const whole = { kind: "reprocess_input", inputId, actor } as const;
    expect(s.refused(whole)).toBe("event_is_reserved");
  });

  test("[R125] of an input takes back its skip and reopens what is settled", () => {
    const s = shop();
    s.do(emptyCommit(s.mutated("book", [["orders", "o1"]])));
    s.do(skipInput);
    const decision = s.do({ kind: "reprocess_input", inputId, actor });
    expect(kindsOf(decision)).toEqual([
      "input_reopened",
      "event_reprocessed",
      "event_reprocessed",
      "event_reprocessed",
    ]);
    expect(s.view.load("inputs", inputId).skippedAt).toBeNull();
    expect(statuses(s)).toEqual(["pending", "pending", "pending", "pending"]);
    const whole = { kind: "reprocess_input", inputId, actor } as const;
    expect(s.refused(whole)).toBe("event_is_pending");
  });

  test("an event nobody works off is not made pending", () => {
    const s = shop();
    s.do(byHand("audit", "a1"));
    const reprocess = { ...again("a1"), topic: "audit" };
    expect(s.refused(reprocess)).toBe("topic_not_declared");
  });
});

describe("resetting a topic", () => {
  const reset = { kind: "reset_topic", topic: "orders", actor } as const;

  test("[R149, R28] consumed and skipped events become pending as a new attempt", () => {
    const s = shop();
    s.do(emptyCommit(s.mutated("book", [["orders", "o1"]])));
    s.do(skip("o2"));
    const before = [...s.view.rows("events")].length;
    const { records } = s.do(reset);
    expect(records).toHaveLength(1);
    expect(statuses(s)).toEqual(["pending", "pending", "pending", "pending"]);
    const attempts = ["o1", "o2", "o3", "o4"].map((id) => s.event("orders", id).attempt);
    expect(attempts).toEqual([2, 2, 1, 1]);
    expect([...s.view.rows("events")]).toHaveLength(before);
    expect(s.nextWork()).toMatchObject({ kind: "start_run", handler: "book" });
  });

  test("[R149] is refused while an event is reserved, and names the run", () => {
    const s = shop();
    const runId = s.prepared("book", [["orders", "o1"]]);
    expect(s.refusal(reset)).toEqual({
      code: "topic_has_reserved_event",
      note: `Run ${runId} holds events of orders.`,
    });
  });

  test("of a topic that is observed or unknown is refused", () => {
    const s = shop();
    expect(s.refused({ ...reset, topic: "audit" })).toBe("topic_not_declared");
    expect(s.refused({ ...reset, topic: "nowhere" })).toBe("topic_not_declared");
  });
});
