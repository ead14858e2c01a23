import { describe, expect, test } from "vitest";
import {
  byHand,
  bytesOf,
  consumer,
  emptyCommit,
  factsOf,
  kindsOf,
  producer,
  publication,
  Scenario,
  version,
} from "../testing/scenario.ts";
import { payloadInlineBytesMax } from "../view/payload.ts";
import { inputIdOf } from "./input-id.ts";

function shop(policy = {}): Scenario {
  const scenario = new Scenario(policy);
  const handlers = [producer("poll"), consumer("book", ["orders", "returns"])];
  scenario.do(version(1, 0, { topics: ["orders", "returns"], observed: ["audit"], handlers }));
  return scenario;
}

describe("what an event is known by", () => {
  test("[R10] the same messageId in two topics is two events", () => {
    const s = shop();
    s.do(byHand("orders", "m1"));
    s.do(byHand("returns", "m1"));
    expect([...s.view.rows("events")].map((e) => [e.topic, e.messageId])).toEqual([
      ["orders", "m1"],
      ["returns", "m1"],
    ]);
  });

  test("[R9] a new event carries status, creator, causes and attempt of the host", () => {
    const s = shop();
    const runId = s.start("poll");
    s.do(emptyCommit(runId, { publishes: [publication("orders", "m1")] }));
    const { status, reservedBy, createdBy, causedBy, attempt, position, revision } = s.event(
      "orders",
      "m1",
    );
    const implied = inputIdOf({ source: "system", type: "event", externalId: "orders/m1" });
    expect({ status, reservedBy, createdBy, causedBy, attempt }).toEqual({
      status: "pending",
      reservedBy: null,
      createdBy: runId,
      causedBy: [implied],
      attempt: 1,
    });
    expect(revision).toBe(position);
  });

  test("[R12] publishing the same bytes again leaves no fact behind", () => {
    const s = shop();
    s.do(byHand("orders", "m1", { title: "Order 1" }));
    expect(s.do(byHand("orders", "m1", { title: "Order 1" })).records).toEqual([]);
    expect(s.do(byHand("orders", "m1")).records).toEqual([]);
  });

  test("[R12] the same messageId twice in one commit is one event with the later payload", () => {
    const s = shop();
    const publishes = [1, 2].map((n) => publication("orders", "m1", { payload: bytesOf(n) }));
    s.produce("poll", { publishes });
    expect([...s.view.rows("events")]).toHaveLength(1);
    expect(s.event("orders", "m1").payload.inline).toEqual(bytesOf(2));
  });
});

describe("last write wins, while it can still matter", () => {
  test("[R13] a republish replaces a pending payload, raises its revision, keeps its place", () => {
    const s = shop();
    s.do(byHand("orders", "m1"));
    const before = s.event("orders", "m1");
    expect(kindsOf(s.do(byHand("orders", "m1", { payload: bytesOf("new") })))).toEqual([
      "event_replaced",
    ]);
    const after = s.event("orders", "m1");
    expect(after.payload.inline).toEqual(bytesOf("new"));
    expect(after.position).toBe(before.position);
    expect(after.revision).toBeGreaterThan(before.revision);
    expect(s.view.load("topics", "orders").lastPendingSeq).toBe(after.revision);
  });

  test("[R13] a reprocessed event is pending and takes the new payload again", () => {
    const s = shop();
    s.do(byHand("orders", "m1"));
    s.do({ kind: "skip_event", topic: "orders", messageId: "m1", actor: "ada" });
    s.do({ kind: "reprocess_event", topic: "orders", messageId: "m1", actor: "ada" });
    s.do(byHand("orders", "m1", { payload: bytesOf("new") }));
    expect(s.event("orders", "m1").payload.inline).toEqual(bytesOf("new"));
  });

  const late = {
    reserved: (s: Scenario) => s.prepared("book", [["orders", "m1"]]),
    consumed: (s: Scenario) => s.do(emptyCommit(s.mutated("book", [["orders", "m1"]]))),
    skipped: (s: Scenario) =>
      s.do({ kind: "skip_event", topic: "orders", messageId: "m1", actor: "ada" }),
  };
  test.each(Object.entries(late))(
    "[R12] a republish of a %s event is noted and changes neither payload nor status",
    (status, reach) => {
      const s = shop();
      s.do(byHand("orders", "m1"));
      reach(s);
      const before = s.event("orders", "m1");
      expect(before.status).toBe(status);
      const decision = s.do(byHand("orders", "m1", { payload: bytesOf("late") }));
      expect(kindsOf(decision)).toEqual(["republish_noted"]);
      expect(s.event("orders", "m1")).toEqual({ ...before, lateCount: 1 });
    },
  );

  test("a late republish of a big payload stores no blob", () => {
    const s = shop();
    s.do(byHand("orders", "m1"));
    s.do({ kind: "skip_event", topic: "orders", messageId: "m1", actor: "ada" });
    const payload = bytesOf("x".repeat(payloadInlineBytesMax));
    expect(s.do(byHand("orders", "m1", { payload })).blobs).toEqual([]);
  });

  test("causes are united, whether the republish replaces or is only noted", () => {
    const s = shop();
    const mail = (externalId: string) => ({ source: "imap", type: "mail", externalId });
    const seen = (externalId: string, payload: Uint8Array) => {
      const input = mail(externalId);
      const more = { payload, inputId: inputIdOf(input) };
      const publishes = [publication("orders", "m1", more)];
      return s.produce("poll", { inputs: [{ ...input, title: externalId }], publishes });
    };
    seen("1", bytesOf(1));
    seen("2", bytesOf(2));
    s.do({ kind: "skip_event", topic: "orders", messageId: "m1", actor: "ada" });
    seen("3", bytesOf(2));
    const all = ["1", "2", "3"].map((id) => inputIdOf(mail(id))).sort();
    expect(s.event("orders", "m1").causedBy).toEqual(all);
    const links = [...s.view.rows("event_inputs")].map((row) => row.inputId).sort();
    expect(links).toEqual(all);
  });
});

describe("publishing as one act", () => {
  test("[R14] one bad topic among several publishes nothing at all", () => {
    const s = shop();
    const runId = s.start("poll");
    const good = publication("orders", "m1");
    const wrong = emptyCommit(runId, { publishes: [good, publication("nowhere", "m1")] });
    expect(s.refused(wrong)).toBe("topic_not_declared");
    s.do(emptyCommit(runId, { publishes: [good, publication("returns", "m1")] }));
    expect([...s.view.rows("events")]).toHaveLength(2);
  });

  test("[R15] nothing is visible before the handler commits, and nothing after it failed", () => {
    const s = shop();
    const runId = s.start("poll");
    expect([...s.view.rows("events")]).toEqual([]);
    s.failLogic(runId);
    expect(s.refused(emptyCommit(runId, { publishes: [publication("orders", "m1")] }))).toBe(
      "run_not_active",
    );
  });

  test("[R6] events of an observed topic are born consumed and wake nobody", () => {
    const s = shop();
    s.do(byHand("audit", "m1"));
    s.produce("poll", { publishes: [publication("audit", "m2")], nextRunAt: null });
    expect(s.event("audit", "m1").status).toBe("consumed");
    expect(s.event("audit", "m2").status).toBe("consumed");
    expect(s.nextWork()).toMatchObject({ kind: "wait", until: null });
    expect(s.view.load("topics", "audit").lastPendingSeq).toBe(0);
  });

  test("[R145] a handler publishes only where its version lets it", () => {
    const s = new Scenario();
    const handlers = [producer("poll", { publishes: ["orders"] }), producer("free")];
    s.do(version(1, 0, { topics: ["orders"], observed: ["audit"], handlers }));
    const runId = s.start("poll");
    const wrong = emptyCommit(runId, { publishes: [publication("audit", "m1")] });
    expect(s.refused(wrong)).toBe("topic_not_publishable");
    s.do(emptyCommit(runId));
    s.produce("free", { publishes: [publication("audit", "m1")] });
    expect(s.event("audit", "m1").createdBy).not.toBeNull();
  });
});

describe("what is admitted", () => {
  const ids: readonly (readonly [what: string, messageId: string, code: string | null])[] = [
    ["plain", "o1", null],
    ["as long as the limit allows with its topic", "x".repeat(505), null],
    ["empty", "", "id_invalid"],
    ["too long", "x".repeat(513), "id_invalid"],
    ["with a control character", "a\u0001b", "id_invalid"],
    ["with U+0000, which no database keeps", "a\u0000b", "command_malformed"],
  ];
  test.each(ids)("[R10] a messageId that is %s", (_, messageId, code) => {
    const s = shop();
    const decision = s.decide([byHand("orders", messageId)]);
    expect(decision.ok ? null : decision.refusal.code).toBe(code);
  });

  test("a title that is too long is cut, in the event and in its input", () => {
    const s = shop({ titleCharsMax: 4 });
    s.do(byHand("orders", "o1", { title: "a long title" }));
    expect(s.event("orders", "o1").title).toBe("a l…");
    expect([...s.view.rows("inputs")].map((input) => input.title)).toEqual(["a l…"]);
  });
});

describe("sizes", () => {
  const big = "x".repeat(payloadInlineBytesMax);
  test.each([
    ["small", bytesOf("x"), true],
    ["exactly the limit", bytesOf(big).subarray(0, payloadInlineBytesMax), true],
    ["one byte more", bytesOf(big).subarray(0, payloadInlineBytesMax + 1), false],
  ])("a payload that is %s is kept inline: %s", (_, payload, inline) => {
    const s = shop();
    const { blobs } = s.do(byHand("orders", "m1", { payload }));
    const stored = s.event("orders", "m1").payload;
    expect(stored.size).toBe(payload.length);
    expect(stored.inline).toEqual(inline ? payload : null);
    expect(blobs).toEqual(inline ? [] : [{ hash: stored.hash, bytes: payload }]);
  });

  test("a payload past the host's limit is refused by name, one byte less is not", () => {
    const s = shop({ payloadBytesMax: 600 });
    const more = (size: number) => ({ payload: new Uint8Array(size) });
    expect(s.refused(byHand("orders", "m1", more(601)))).toBe("limit_exceeded");
    s.do(byHand("orders", "m1", more(600)));
  });

  test("more events in one commit than the host allows are refused as a whole", () => {
    const s = shop({ eventsPerCommitMax: 2 });
    const runId = s.start("poll");
    const publishes = ["m1", "m2", "m3"].map((id) => publication("orders", id));
    expect(s.refused(emptyCommit(runId, { publishes }))).toBe("limit_exceeded");
    s.do(emptyCommit(runId, { publishes: publishes.slice(0, 2) }));
  });
});

test("[R127] a reprocess and a skip name their actor in the fact", () => {
  const s = shop();
  s.do(byHand("orders", "m1"));
  const skip = s.do({ kind: "skip_event", topic: "orders", messageId: "m1", actor: "bob" });
  const again = s.do({ kind: "reprocess_event", topic: "orders", messageId: "m1", actor: "eve" });
  expect([...factsOf(skip), ...factsOf(again)]).toMatchObject([{ actor: "bob" }, { actor: "eve" }]);
});
