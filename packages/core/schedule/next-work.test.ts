import { describe, expect, test } from "vitest";
import { policyDefaults } from "../policy/policy.ts";
import { InvariantError } from "../ports/invariant.ts";
import { loadFrom } from "../testing/partial-view.ts";
import {
  byHand,
  bytesOf,
  consumer,
  type EventName,
  emptyCommit,
  producer,
  publication,
  Scenario,
  version,
} from "../testing/scenario.ts";
import { View } from "../view/view.ts";
import { dueAt, needsOfNextWork, nextWork } from "./next-work.ts";

/** Two consumers, each with a topic of its own, and nothing scheduled. */
function twoDesks(): Scenario {
  const s = new Scenario();
  const handlers = [
    producer("poll", { scheduled: false }),
    producer("scan", { scheduled: false }),
    consumer("book", ["orders"]),
    consumer("accept", ["returns"]),
  ];
  s.do(version(1, 0, { topics: ["orders", "returns"], handlers }));
  return s;
}

const start = (handler: string, why: string) => ({ kind: "start_run", handler, why });
const nothing = { kind: "wait", until: null, note: "nothing to do" };

/** A whole run that finds nothing to do. */
function look(s: Scenario, handler: string, wakeAt: number | null = null): void {
  s.do(emptyCommit(s.prepared(handler, [], { wakeAt })));
}

function work(s: Scenario, handler: string, event: EventName): void {
  s.do(emptyCommit(s.mutated(handler, [event])));
}

/** The service is away for a moment. Returns when the run will be tried again. */
function backOff(s: Scenario, runId: string): number {
  const failure = { class: "transient", message: "no route", location: "shop" } as const;
  s.do({ kind: "pause_run", runId, because: { reason: "backoff", failure, jitter: 0 } });
  return s.now + policyDefaults.transientDelayMs;
}

describe("who goes first", () => {
  test("[R101] needs the oldest events only where somebody has to look at them", () => {
    const s = twoDesks();
    const { now } = s;
    const ofBase = () => View.fromLoaded(loadFrom(s.view, [{ kind: "base" }]), s.view.policy);
    const oldest = [{ kind: "oldest_pending" }];
    expect(needsOfNextWork(ofBase(), now)).toEqual([]);
    s.do(byHand("returns", "r1"));
    expect(needsOfNextWork(ofBase(), now)).toEqual(oldest);
    expect(nextWork(ofBase(), now)).toEqual(start("accept", "event"));
    s.do(byHand("orders", "o1"));
    expect(needsOfNextWork(ofBase(), now)).toEqual(oldest);
    expect(() => nextWork(ofBase(), now)).toThrow(InvariantError);
    s.start("book");
    expect(needsOfNextWork(ofBase(), now)).toEqual(oldest);
  });

  test("[R101] needs no events to go on with a run that has prepared", () => {
    const s = twoDesks();
    s.do(byHand("orders", "o1"));
    s.do(byHand("returns", "r1"));
    s.prepared("book", [["orders", "o1"]]);
    const ofBase = View.fromLoaded(loadFrom(s.view, [{ kind: "base" }]), s.view.policy);
    expect(nextWork(ofBase, s.now)).toMatchObject({ kind: "continue_run" });
    expect(needsOfNextWork(ofBase, s.now)).toEqual([]);
  });

  test("[R101] a consumer with an event goes before a producer that is overdue", () => {
    const s = twoDesks();
    s.produce("poll", { nextRunAt: s.now - 1_000 });
    expect(s.nextWork()).toEqual(start("poll", "schedule"));
    s.do(byHand("orders", "o1"));
    expect(s.nextWork()).toEqual(start("book", "event"));
  });

  test("[R101] among consumers the one with the oldest pending event, whatever its name", () => {
    const s = twoDesks();
    s.do(byHand("orders", "o1"));
    s.do(byHand("returns", "r1"));
    expect(s.nextWork()).toEqual(start("book", "event"));
    const other = twoDesks();
    other.do(byHand("returns", "r1"));
    other.do(byHand("orders", "o1"));
    expect(other.nextWork()).toEqual(start("accept", "event"));
  });

  test("[R101] the age that counts is of what is pending, not of what is done", () => {
    const s = twoDesks();
    s.do(byHand("orders", "o1"));
    s.do(byHand("returns", "r1"));
    s.do(byHand("orders", "o2"));
    work(s, "book", ["orders", "o1"]);
    expect(s.nextWork()).toEqual(start("accept", "event"));
  });

  test("[R95] among producers the longest overdue, and none before its time", () => {
    const s = twoDesks();
    s.produce("poll", { nextRunAt: s.now + 10 });
    s.produce("scan", { nextRunAt: s.now + 5 });
    expect(s.nextWork()).toMatchObject({ kind: "wait", until: s.now + 5 });
    expect(s.nextWork(s.now + 5)).toEqual(start("scan", "schedule"));
    expect(s.nextWork(s.now + 60)).toEqual(start("scan", "schedule"));
  });

  test("[R56] an open run holds up everything else of its workflow", () => {
    const s = twoDesks();
    const runId = s.start("poll");
    s.do(byHand("orders", "o1"));
    expect(s.nextWork()).toEqual({ kind: "continue_run", runId });
    s.do({ kind: "pause_run", runId, because: { reason: "rate_limit", until: s.now + 5_000 } });
    expect(s.nextWork()).toMatchObject({ kind: "wait", until: s.now + 5_000 });
    expect(s.nextWork(s.now + 5_000)).toEqual({ kind: "resume_run", runId });
  });

  test("[R104] what comes in during a back-off waits for it and is served after it", () => {
    const s = twoDesks();
    const runId = s.start("poll");
    const dueAt = backOff(s, runId);
    s.do(byHand("orders", "o1"));
    expect(s.nextWork()).toMatchObject({ kind: "wait", until: dueAt });
    expect(s.nextWork(dueAt - 1)).toMatchObject({ kind: "wait", until: dueAt });
    s.now = dueAt;
    expect(s.nextWork()).toEqual({ kind: "resume_run", runId });
    s.do({ kind: "resume_run", runId, actor: "host" });
    expect(s.nextWork()).toEqual({ kind: "continue_run", runId });
    s.do(emptyCommit(runId));
    expect(s.nextWork()).toEqual(start("book", "event"));
  });

  test("[R104] so does what comes in for the very consumer that backs off", () => {
    const s = twoDesks();
    const runId = s.prepared("book", []);
    const dueAt = backOff(s, runId);
    s.do(byHand("orders", "o1"));
    expect(s.nextWork()).toMatchObject({ kind: "wait", until: dueAt });
    s.now = dueAt;
    s.do({ kind: "resume_run", runId, actor: "host" }, emptyCommit(runId));
    expect(s.nextWork()).toEqual(start("book", "event"));
  });

  test("what came in while the workflow was blocked is served after", () => {
    const s = twoDesks();
    const runId = s.start("poll");
    s.failLogic(runId);
    s.do(byHand("orders", "o1"));
    expect(s.nextWork()).toMatchObject({ kind: "wait", until: null });
    s.do({ kind: "retry_run", runId, actor: "ada" });
    s.do(emptyCommit(s.retry(runId)));
    expect(s.nextWork()).toEqual(start("book", "event"));
  });
});

describe("when a consumer runs", () => {
  test("[R97] old pending events alone start nothing: no busy loop", () => {
    const s = twoDesks();
    s.do(byHand("orders", "o1"));
    look(s, "book");
    expect(s.event("orders", "o1").status).toBe("pending");
    expect(s.nextWork()).toEqual(nothing);
    expect(s.nextWork(s.now + 1e10)).toEqual(nothing);
    s.do(byHand("orders", "o1"));
    expect(s.nextWork()).toEqual(nothing);
  });

  test("[R98] after reservations it is checked again, after an empty run it sleeps", () => {
    const s = twoDesks();
    s.do(byHand("orders", "o1"));
    s.do(byHand("orders", "o2"));
    work(s, "book", ["orders", "o2"]);
    expect(s.nextWork()).toEqual(start("book", "event"));
    look(s, "book");
    expect(s.nextWork()).toEqual(nothing);
    s.do(byHand("orders", "o3"));
    expect(s.nextWork()).toEqual(start("book", "event"));
  });

  const arrivals = {
    published: (s: Scenario) => s.do(byHand("orders", "o2")),
    replaced: (s: Scenario) => s.do(byHand("orders", "o1", { payload: bytesOf("new") })),
    reprocessed: (s: Scenario) => {
      const name = { topic: "orders", messageId: "o1", actor: "ada" };
      return s.do({ kind: "skip_event", ...name }, { kind: "reprocess_event", ...name });
    },
  };
  test.each(Object.entries(arrivals))(
    "[R99, R159] an event %s during a run that ends empty wakes the consumer again",
    (_, arrive) => {
      const s = twoDesks();
      s.do(byHand("orders", "o1"));
      const runId = s.prepared("book", []);
      arrive(s);
      s.do(emptyCommit(runId));
      expect(s.nextWork()).toEqual(start("book", "event"));
      look(s, "book");
      expect(s.nextWork()).toEqual(nothing);
    },
  );

  test("[R99] an event between the look and the written run is not lost either", () => {
    const s = twoDesks();
    const asOf = s.view.head.seq;
    s.do(byHand("orders", "o1"));
    const runId = s.start("book", asOf);
    s.do(s.preparing(runId, []), emptyCommit(runId));
    expect(s.nextWork()).toEqual(start("book", "event"));
  });

  test("[R99] events let go by an ended run wake the consumer", () => {
    const s = twoDesks();
    s.do(byHand("orders", "o1"));
    look(s, "book");
    const runId = s.prepared("book", [["orders", "o1"]]);
    s.do({ kind: "stop_run", runId, actor: "ada" });
    s.do({ kind: "resume_workflow", actor: "ada" });
    expect(s.nextWork()).toEqual(start("book", "event"));
  });

  test("[R99] what an empty run itself publishes to its own topic wakes it", () => {
    const s = twoDesks();
    const runId = s.prepared("book", []);
    s.do(emptyCommit(runId, { publishes: [publication("orders", "o1")] }));
    expect(s.nextWork()).toEqual(start("book", "event"));
  });
});

describe("wake-ups", () => {
  test("[R97] a reached wakeAt starts the consumer without any event", () => {
    const s = twoDesks();
    look(s, "book", s.now + 60_000);
    expect(s.nextWork()).toMatchObject({ kind: "wait", until: s.now + 60_000 });
    expect(s.nextWork(s.now + 60_000)).toEqual(start("book", "wake"));
  });

  test("[R100] is kept by a run with reservations, cleared by one that names none", () => {
    const s = twoDesks();
    s.do(byHand("orders", "o1"));
    const runId = s.prepared("book", [["orders", "o1"]], { wakeAt: s.now + 60_000 });
    s.do({ kind: "finish_mutate", runId }, emptyCommit(runId));
    expect(s.handler("book").wakeAt).toBe(s.now + 60_000);
    look(s, "book");
    expect(s.handler("book").wakeAt).toBeNull();
    expect(s.nextWork()).toEqual(nothing);
  });

  test("a wake-up does not keep a consumer in front of one with a pending event", () => {
    const s = twoDesks();
    look(s, "accept", s.now + 60_000);
    s.now += 60_000;
    s.do(byHand("orders", "o1"));
    expect(s.nextWork()).toEqual(start("book", "event"));
  });
});

describe("the due time for the store", () => {
  const cases: readonly (readonly [what: string, reach: (s: Scenario) => void])[] = [
    ["nothing to do", () => undefined],
    ["an event", (s) => s.do(byHand("orders", "o1"))],
    ["a schedule", (s) => s.produce("poll", { nextRunAt: s.now + 5 })],
    ["a wake-up", (s) => look(s, "book", s.now + 60_000)],
    ["an active run", (s) => s.start("poll")],
    ["a paused workflow", (s) => s.do({ kind: "pause_workflow", actor: "ada" })],
    ["a failed run", (s) => s.failLogic(s.start("poll"))],
    [
      "a run that waits",
      (s) => {
        const because = { reason: "rate_limit", until: s.now + 9 } as const;
        s.do({ kind: "pause_run", runId: s.start("poll"), because });
      },
    ],
  ];
  test.each(cases)("agrees with the next work: %s", (_, reach) => {
    const s = twoDesks();
    reach(s);
    for (const now of [s.now, s.now + 5, s.now + 9, s.now + 60_000]) {
      const next = s.nextWork(now);
      const expected = next.kind === "stopped" ? null : next.kind === "wait" ? next.until : now;
      expect(dueAt(s.view, now)).toBe(expected);
      if (expected !== null) expect(expected).toBeGreaterThanOrEqual(now);
    }
  });

  /** All that an owner has who was not there: rows as a store would read them back. */
  function asFreshOwner(s: Scenario, now: number) {
    const needs = [{ kind: "base" }, { kind: "oldest_pending" }] as const;
    const read = () => View.fromLoaded(structuredClone(loadFrom(s.view, needs)), s.view.policy);
    return { work: nextWork(read(), now), due: dueAt(read(), now) };
  }

  test("[R102] is computed from rows alone, so a fresh owner finds the same", () => {
    const s = twoDesks();
    const { now } = s;
    s.produce("poll", { nextRunAt: now + 5 });
    look(s, "book", now + 60_000);
    expect(asFreshOwner(s, now)).toMatchObject({ work: { kind: "wait" }, due: now + 5 });
    s.do(byHand("returns", "r1"));
    expect(asFreshOwner(s, now)).toEqual({ work: start("accept", "event"), due: now });
    look(s, "accept");
    const polling = { work: start("poll", "schedule"), due: now + 5 };
    expect(asFreshOwner(s, now + 5)).toEqual(polling);
    s.produce("poll", { nextRunAt: null });
    expect(asFreshOwner(s, now)).toMatchObject({ work: { kind: "wait" }, due: now + 60_000 });
    const waking = { work: start("book", "wake"), due: now + 60_000 };
    expect(asFreshOwner(s, now + 60_000)).toEqual(waking);
  });

  test("[R102] a fresh owner knows until when a run that it never saw backs off", () => {
    const s = twoDesks();
    const runId = s.start("poll");
    const until = backOff(s, runId);
    expect(asFreshOwner(s, s.now)).toMatchObject({ work: { kind: "wait", until }, due: until });
    expect(asFreshOwner(s, until)).toEqual({ work: { kind: "resume_run", runId }, due: until });
  });
});
