import { describe, expect, test } from "vitest";
import {
  byHand,
  bytesOf,
  consumer,
  type EventName,
  emptyCommit,
  factsOf,
  kindsOf,
  producer,
  Scenario,
  version,
} from "../testing/scenario.ts";

function shop(policy = {}): Scenario {
  const s = new Scenario(policy);
  const handlers = [producer("poll"), consumer("book", ["orders", "returns"])];
  s.do(version(1, 0, { topics: ["orders", "returns", "mails"], handlers }));
  for (const id of ["o1", "o2", "o3"]) s.do(byHand("orders", id));
  s.do(byHand("mails", "x1"));
  return s;
}

const o1: EventName = ["orders", "o1"];
const o2: EventName = ["orders", "o2"];

describe("reservations are strict", () => {
  test("[R17] the run may reserve any pending event of its topics, not only the oldest", () => {
    const s = shop();
    s.prepared("book", [["orders", "o3"]]);
    expect(s.event("orders", "o3").status).toBe("reserved");
    expect(s.event("orders", "o1").status).toBe("pending");
  });

  const wrong: readonly (readonly [what: string, names: readonly EventName[], code: string])[] = [
    ["an id that does not exist", [o1, ["orders", "o9"]], "reservation_unknown"],
    ["a topic it does not subscribe to", [o1, ["mails", "x1"]], "reservation_not_subscribed"],
    ["a topic nobody declared", [o1, ["nowhere", "x1"]], "reservation_not_subscribed"],
    ["an event named twice", [o1, o2, o1], "reservation_repeated"],
  ];
  test.each(wrong)("[R32] %s fails the whole prepare", (_, names, code) => {
    const s = shop();
    const runId = s.start("book");
    expect(s.refused(s.preparing(runId, names))).toBe(code);
    expect(s.event("orders", "o1").status).toBe("pending");
  });

  const settled = {
    consumed: (s: Scenario) => s.do(emptyCommit(s.mutated("book", [o1]))),
    skipped: (s: Scenario) =>
      s.do({ kind: "skip_event", topic: "orders", messageId: "o1", actor: "ada" }),
  };
  test.each(Object.entries(settled))("[R32] a %s event fails the whole prepare", (_, settle) => {
    const s = shop();
    settle(s);
    const runId = s.start("book");
    expect(s.refused(s.preparing(runId, [o2, o1]))).toBe("reservation_not_pending");
  });

  test("[R32] an event another run holds fails the whole prepare", () => {
    const s = shop();
    const held = { ...s.event("orders", "o1"), status: "reserved", reservedBy: "r0" } as const;
    s.view.put("events", held);
    const runId = s.start("book");
    expect(s.refused(s.preparing(runId, [o2, o1]))).toBe("reservation_not_pending");
  });

  const holding: Readonly<Record<string, (s: Scenario, runId: string) => unknown>> = {
    active: () => undefined,
    paused: (s, runId) => s.do({ kind: "pause_run", runId, because: { reason: "user" } }),
    failed: (s, runId) => s.failLogic(runId),
    crashed: (s) => s.do({ kind: "recover_run", incarnation: "another" }),
  };
  test.each(Object.entries(holding))(
    "[R33] what a run holds that is %s is not there for another one",
    (_, become) => {
      const s = shop();
      const holder = s.prepared("book", [o1]);
      become(s, holder);
      const start = { kind: "start_run", handler: "book", asOf: 0, trigger: null } as const;
      expect(s.refused(start)).toBe("run_open_already");
      // Were another run there all the same: the first one is taken out of its way by hand.
      s.view.put("runs", { ...s.view.load("runs", holder), open: false });
      const other = s.start("book");
      expect(s.refused(s.preparing(other, [o1]))).toBe("reservation_not_pending");
      expect(s.refused(s.preparing(other, [o2, o1]))).toBe("reservation_not_pending");
      expect(s.event(...o1)).toMatchObject({ status: "reserved", reservedBy: holder });
      s.do(s.preparing(other, [o2]));
    },
  );

  test("[R33] what a run held is there again once that run is resolved without it", () => {
    const s = shop();
    const runId = s.prepared("book", [o1]);
    s.do({ kind: "stop_run", runId, actor: "ada" }, { kind: "resume_workflow", actor: "ada" });
    const other = s.prepared("book", [o1]);
    expect(s.event(...o1)).toMatchObject({ status: "reserved", reservedBy: other });
  });

  test("[R159] a revision the event never had is a failure, the one it has is pinned", () => {
    const s = shop();
    const { revision } = s.event("orders", "o1");
    const runId = s.start("book");
    const want = (seen: number) => ({
      reservations: [{ topic: "orders", messageId: "o1", revision: seen }],
    });
    expect(s.refused(s.preparing(runId, [], want(revision - 1)))).toBe("reservation_unknown");
    s.do(s.preparing(runId, [], want(revision)));
    expect(s.view.load("reservations", runId, "orders", "o1")).toMatchObject({
      revision,
      attempt: 1,
    });
  });

  test("more reservations than the host allows are refused", () => {
    const s = shop({ reservationsMax: 1 });
    const runId = s.start("book");
    expect(s.refused(s.preparing(runId, [o1, o2]))).toBe("limit_exceeded");
    s.do(s.preparing(runId, [o1]));
  });

  test("a PrepareResult past the limit is refused, a big one becomes a blob", () => {
    const s = shop({ payloadBytesMax: 1_000 });
    const runId = s.start("book");
    const result = (size: number) => ({ prepareResult: new Uint8Array(size) });
    expect(s.refused(s.preparing(runId, [o1], result(1_001)))).toBe("limit_exceeded");
    const { blobs } = s.do(s.preparing(runId, [o1], result(1_000)));
    expect(blobs).toHaveLength(1);
    expect(s.view.load("runs", runId).prepareResult?.inline).toBeNull();
  });
});

describe("a miss that a later fact explains", () => {
  const later = {
    republished: (s: Scenario) => s.do(byHand("orders", "o1", { payload: bytesOf("new") })),
    skipped: (s: Scenario) =>
      s.do({ kind: "skip_event", topic: "orders", messageId: "o1", actor: "ada" }),
    "published for the first time": (s: Scenario) => s.do(byHand("orders", "o4")),
  };
  test.each(Object.entries(later))(
    "[R159] an event %s after the run began to look means prepare again",
    (what, happen) => {
      const s = shop();
      const runId = s.start("book");
      happen(s);
      const name: EventName = what.startsWith("published") ? ["orders", "o4"] : o1;
      expect(s.refused(s.preparing(runId, [name]))).toBe("prepare_again");
      const { status, failure, transientCount } = s.view.load("runs", runId);
      expect({ status, failure, transientCount }).toEqual({
        status: "active",
        failure: null,
        transientCount: 0,
      });
    },
  );

  test("[R159] a run written after it looked is held to what it looked at", () => {
    const s = shop();
    const asOf = s.view.head.seq;
    s.do(byHand("orders", "o1", { payload: bytesOf("new") }));
    const runId = s.start("book", asOf);
    expect(s.refused(s.preparing(runId, [o1]))).toBe("prepare_again");
    s.do(s.preparing(runId, [o2]));
  });

  test("[R159] facts about other events, or none that change it, do not matter", () => {
    const s = shop();
    const runId = s.start("book");
    s.do(byHand("orders", "o2", { payload: bytesOf("new") }));
    s.do(byHand("orders", "o1"));
    s.do(s.preparing(runId, [o1]));
  });
});

describe("what prepare leaves behind", () => {
  test("[R31] result, reservations, wake time and phase are one fact", () => {
    const s = shop();
    const runId = s.start("book");
    const prepareResult = bytesOf({ data: 1 });
    const wakeAt = s.now + 60_000;
    const decision = s.do(s.preparing(runId, [o1, o2], { prepareResult, wakeAt }));
    expect(kindsOf(decision)).toEqual(["run_prepared"]);
    expect(s.view.load("runs", runId)).toMatchObject({
      phase: "prepared",
      prepareResult: { inline: prepareResult },
      preparedAt: s.now,
    });
    expect(s.handler("book").wakeAt).toBe(wakeAt);
    expect([...s.view.rows("reservations")]).toHaveLength(2);
    expect(s.event("orders", "o2")).toMatchObject({ reservedBy: runId, deliveryCount: 1 });
  });

  test("[R33] a PrepareResult is never replaced", () => {
    const s = shop();
    const runId = s.prepared("book", [o1]);
    expect(s.refused(s.preparing(runId, [o2]))).toBe("phase_must_be_preparing");
  });

  test("the trigger is the first reserved event unless the script names another of them", () => {
    const s = shop();
    const runId = s.start("book");
    const foreign = s.preparing(runId, [o1, o2], {
      trigger: { topic: "orders", messageId: "o3" },
    });
    expect(s.refused(foreign)).toBe("trigger_not_reserved");
    const o2Ref = { topic: "orders", messageId: "o2" };
    const [named] = factsOf({ records: recordsOf(s, runId, { trigger: o2Ref }) });
    expect(named).toMatchObject({ trigger: "orders/o2" });
    const [first] = factsOf({ records: recordsOf(s, runId, {}) });
    expect(first).toMatchObject({ trigger: "orders/o1" });
    const empty = s.decide([s.preparing(runId, [])]);
    expect(empty.ok && factsOf(empty)).toMatchObject([{ trigger: null }]);
  });

  test("a selection id is made when the script gives none, and a title is cut", () => {
    const s = shop({ titleCharsMax: 3 });
    const runId = s.start("book");
    const [made] = factsOf({ records: recordsOf(s, runId, { uiTitle: "abcdef" }) });
    expect(made).toMatchObject({ selectionId: `s_${runId}`, uiTitle: "ab…" });
    const [given] = factsOf({ records: recordsOf(s, runId, { selectionId: "mine" }) });
    expect(given).toMatchObject({ selectionId: "mine", uiTitle: null });
  });
});

function recordsOf(s: Scenario, runId: string, more: Parameters<Scenario["preparing"]>[2]) {
  const decision = s.decide([s.preparing(runId, [o1, o2], more)]);
  return decision.ok ? decision.records : [];
}

describe("nothing reserved", () => {
  test("[R34] the run goes from prepared to next without mutate", () => {
    const s = shop();
    const runId = s.prepared("book", []);
    expect(s.refused({ kind: "finish_mutate", runId })).toBe("nothing_reserved");
    const decision = s.do(emptyCommit(runId));
    expect(factsOf(decision)).toMatchObject([
      { kind: "run_advanced", phase: "emitting" },
      { kind: "run_committed", events: [] },
    ]);
  });

  test("[R99] it has looked through what there was at its start, not at its end", () => {
    const s = shop();
    const asOf = s.view.head.seq;
    const runId = s.prepared("book", []);
    s.do(byHand("orders", "o4"));
    s.do(emptyCommit(runId));
    expect(s.handler("book").checkedThrough).toBe(asOf);
  });
});
