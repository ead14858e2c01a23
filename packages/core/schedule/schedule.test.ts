import { describe, expect, test } from "vitest";
import { policyDefaults } from "../policy/policy.ts";
import {
  consumer,
  emptyCommit,
  kindsOf,
  producer,
  Scenario,
  version,
} from "../testing/scenario.ts";
import { clampWakeAt } from "./wake-at.ts";

function shop(): Scenario {
  const s = new Scenario();
  const handlers = [
    producer("poll"),
    producer("hook", { scheduled: false }),
    producer("clock", { catchUp: "skip" }),
    consumer("book", ["orders"]),
  ];
  s.do(version(1, 0, { topics: ["orders"], handlers }));
  return s;
}

describe("a script's wish to be woken", () => {
  const now = 1_000_000;
  const rows: readonly (readonly [what: string, wish: number | null, wakeAt: number | null])[] = [
    ["inside the bounds", now + 60_000, now + 60_000],
    ["at the earliest", now + 30_000, now + 30_000],
    ["too early", now + 29_999, now + 30_000],
    ["in the past", 5, now + 30_000],
    ["negative", -1, now + 30_000],
    ["at the latest", now + 86_400_000, now + 86_400_000],
    ["too late", now + 86_400_001, now + 86_400_000],
    ["beyond all time", Number.MAX_SAFE_INTEGER, now + 86_400_000],
    ["a fraction", now + 60_000.4, now + 60_000],
    ["absent", null, null],
    ["not a number", Number.NaN, null],
    ["infinite", Number.POSITIVE_INFINITY, null],
  ];
  test.each(rows)("[R100] %s", (_, wish, wakeAt) => {
    expect(clampWakeAt(policyDefaults, wish, now)).toBe(wakeAt);
  });

  test("[R100] is clamped where prepare records it", () => {
    const s = shop();
    s.prepared("book", [], { wakeAt: s.now });
    expect(s.handler("book").wakeAt).toBe(s.now + policyDefaults.wakeDelayMsMin);
  });
});

describe("producers on a schedule", () => {
  test("[R96] a deploy makes every scheduled handler due now, and no other", () => {
    const s = shop();
    const due = ["poll", "hook", "clock", "book"].map((name) => s.handler(name).nextRunAt);
    expect(due).toEqual([s.now, null, s.now, null]);
    s.produce("poll", { nextRunAt: s.now + 1e6 });
    s.now += 10;
    s.do(version(2, 0, { topics: [], handlers: [producer("poll"), producer("new")] }));
    expect(s.handler("poll").nextRunAt).toBe(s.now);
    expect(s.handler("new").nextRunAt).toBe(s.now);
    expect(s.handler("clock").nextRunAt).toBeNull();
  });

  test("[R95, R96] missed firings become one run, and its commit sets the next time", () => {
    const s = shop();
    s.produce("clock", { nextRunAt: null });
    s.produce("poll", { nextRunAt: s.now + 1_000 });
    s.now += 50_000;
    expect(s.nextWork()).toMatchObject({ kind: "start_run", handler: "poll" });
    s.produce("poll", { nextRunAt: s.now + 1_000 });
    expect(s.nextWork()).toMatchObject({ kind: "wait", until: s.now + 1_000 });
  });

  test("[R95] a firing that comes due while a run is busy is served after it", () => {
    const s = shop();
    s.produce("clock", { nextRunAt: null });
    const runId = s.start("poll");
    s.now += 50_000;
    s.do(emptyCommit(runId, { nextRunAt: s.now - 10_000 }));
    expect(s.nextWork()).toMatchObject({ kind: "start_run", handler: "poll" });
  });

  test("[R95] only a producer that declared it may let a firing pass, and it is on record", () => {
    const s = shop();
    const dueAt = s.now;
    const skip = (handler: string) =>
      ({ kind: "skip_firing", handler, dueAt, firingCount: 1, nextRunAt: dueAt + 60_000 }) as const;
    s.now += 60_001;
    expect(s.refused(skip("poll"))).toBe("firing_must_be_caught_up");
    expect(s.refused(skip("book"))).toBe("handler_not_producer");
    expect(s.refused(skip("nobody"))).toBe("handler_not_found");
    expect(kindsOf(s.do(skip("clock")))).toEqual(["firing_skipped"]);
    expect([...s.view.rows("skipped_firings")]).toMatchObject([{ handler: "clock", dueAt }]);
    expect(s.handler("clock").nextRunAt).toBe(dueAt + 60_000);
    expect(s.refused(skip("clock"))).toBe("run_is_due_later");
  });

  test("[R95] a firing in time is run, not skipped, unless the next one is there already", () => {
    const s = shop();
    const dueAt = s.now;
    const skip = (nextRunAt: number | null, firingCount = 1) =>
      ({ kind: "skip_firing", handler: "clock", dueAt, firingCount, nextRunAt }) as const;
    s.now += policyDefaults.firingLateMsMax;
    expect(s.refused(skip(s.now + 1))).toBe("firing_not_missed");
    expect(s.refused(skip(null))).toBe("firing_not_missed");
    expect(s.refused(skip(dueAt))).toBe("firing_not_missed");
    expect(s.refused(skip(s.now, 0))).toBe("firing_not_missed");
    s.do(skip(s.now, 7));
    expect([...s.view.rows("skipped_firings")]).toMatchObject([{ dueAt, firingCount: 7 }]);
  });

  test("[R95] a job lets firings pass like a producer", () => {
    const s = new Scenario();
    const job = consumer("sum", ["orders"], { kind: "job", scheduled: true, catchUp: "skip" });
    s.do(version(1, 0, { topics: ["orders"], handlers: [job] }));
    const dueAt = s.now;
    s.now += policyDefaults.firingLateMsMax + 1;
    s.do({ kind: "skip_firing", handler: "sum", dueAt, firingCount: 1, nextRunAt: s.now + 1 });
    expect(s.nextWork()).toMatchObject({ kind: "wait", until: s.now + 1 });
  });

  test("a firing that is not due yet cannot be skipped", () => {
    const s = shop();
    const dueAt = s.now + 60_000;
    s.produce("clock", { nextRunAt: dueAt });
    const skip = {
      kind: "skip_firing",
      handler: "clock",
      dueAt,
      firingCount: 1,
      nextRunAt: null,
    } as const;
    expect(s.refused(skip)).toBe("run_is_due_later");
  });
});

describe("run now", () => {
  const runNow = { kind: "run_now", actor: "ada" } as const;

  test("[R103] makes all producers due, the manual ones too, and touches no consumer", () => {
    const s = shop();
    s.produce("poll", { nextRunAt: s.now + 1e6 });
    s.now += 10;
    s.do(runNow);
    const called = ["poll", "hook", "clock", "book"].map((name) => s.handler(name).calledAt);
    expect(called).toEqual([s.now, s.now, s.now, null]);
    expect(s.handler("poll").nextRunAt).toBe(s.now - 10 + 1e6);
  });

  test("[R103] is refused while a run is open, also one that waits", () => {
    const s = shop();
    const runId = s.start("poll");
    expect(s.refused(runNow)).toBe("workflow_has_open_run");
    s.do({ kind: "pause_run", runId, because: { reason: "user" } });
    expect(s.refused(runNow)).toBe("workflow_has_open_run");
  });

  test("[R103] is refused while the workflow is paused", () => {
    const s = shop();
    s.do({ kind: "pause_workflow", actor: "ada" });
    expect(s.refused(runNow)).toBe("workflow_not_active");
  });

  test("is refused when the version has no producer, and forgets one that is gone", () => {
    const s = shop();
    s.do(version(2, 0, { topics: ["orders"], handlers: [consumer("book", ["orders"])] }));
    expect(s.refused(runNow)).toBe("handler_not_found");
  });
});
