import { describe, expect, test } from "vitest";
import { decide } from "../decide.ts";
import type { ResendMutation } from "../mutation/resend-mutation.ts";
import type { SendMutation } from "../mutation/send-mutation.ts";
import { policyDefaults } from "../policy/policy.ts";
import { nextWork } from "../schedule/next-work.ts";
import * as c from "./command-builder.ts";
import type { Scenario } from "./scenario.ts";
import { inLedgerState, prepared } from "./state-builder.ts";

describe("a call with a key that its service can be asked about in vain", () => {
  const { reconcileTriesMax } = policyDefaults;
  const remembers = { retentionMs: c.dayMs, visibilityDelayMs: null };

  /** What the host does next, when its time has come. */
  function nextOf(s: Scenario): string {
    s.now = Math.max(s.now, s.mutationRow().nextAttemptAt ?? 0, s.mutationRow().quietFrom ?? 0);
    return nextWork(s.view, s.now).kind;
  }

  function askedOut(options: Parameters<typeof inLedgerState>[1] = remembers): Scenario {
    const s = inLedgerState("needs_reconcile", options);
    for (let tryNo = 1; tryNo < reconcileTriesMax; tryNo += 1) {
      expect(nextOf(s)).toBe("reconcile");
      s.run(c.askedInVain(s));
    }
    expect(nextOf(s)).toBe("reconcile");
    return s.run(c.askedInVain(s));
  }

  test("[R65] [R75] is sent again before a person is asked, and that settles it", () => {
    const s = askedOut();
    expect([s.mutationRow().state, s.openQuestions()]).toEqual(["needs_reconcile", []]);
    expect(nextOf(s)).toBe("resend");
    s.run(c.send(s, "resend_mutation")).run(c.settleApplied(s));
    expect(s.mutationRow()).toMatchObject({ state: "applied", sendCount: 2 });
  });

  test("[R65] is asked about after each time it was sent again, and not for ever", () => {
    const s = askedOut();
    const done: string[] = [];
    while (s.mutationRow().state === "needs_reconcile") {
      const work = nextOf(s);
      done.push(work);
      if (work === "reconcile") s.run(c.askedInVain(s));
      else s.run(c.send(s, "resend_mutation")).run(c.settleUnknown(s));
    }
    const round = ["resend", "reconcile"];
    expect(done).toEqual([...round, ...round, ...round]);
    expect(s.openQuestions()).toEqual(["outcome_unknown"]);
  });

  test.each<[string, (s: Scenario) => unknown]>([
    ["the key may be forgotten", (s) => s.later(c.dayMs)],
    ["its operation is braked", (s) => s.run(c.setBrake())],
  ])("[R75] is not sent again where %s: a person is asked", (_, change) => {
    const s = askedOut();
    change(s);
    expect(nextOf(s)).toBe("reconcile");
    s.run(c.askedInVain(s));
    expect(s.mutationRow()).toMatchObject({ state: "indeterminate", sendCount: 1 });
    expect(s.openQuestions()).toContain("outcome_unknown");
  });

  test("[R114] is not sent again where the service has answered what nobody can read", () => {
    const s = inLedgerState("in_flight", remembers);
    s.run(c.settle(s, { says: "unknown", note: "not what it declares", answered: true }));
    for (let tryNo = 1; tryNo <= reconcileTriesMax; tryNo += 1) {
      expect(nextOf(s)).toBe("reconcile");
      s.run(c.askedInVain(s));
    }
    expect(s.mutationRow()).toMatchObject({ state: "indeterminate", sendCount: 1 });
    s.run(c.resolve(s, { says: "try_again" }));
    for (let tryNo = 1; tryNo <= reconcileTriesMax; tryNo += 1) s.run(c.askedInVain(s));
    expect(s.mutationRow().state).toBe("indeterminate");
  });
});

describe("how a call is keyed", () => {
  const remembers = { canReconcile: false, retentionMs: c.dayMs };

  /** Lost, after it was recorded under one and sent under the other. */
  function lost(recorded: string, sent: string | null): Scenario {
    const s = prepared();
    const { verdict } = c.recordMutation(s);
    s.run(c.recordMutation(s, { ...remembers, verdict: { ...verdict, keyed: recorded } }));
    return s.run(keyedSend(s, "send_mutation", sent)).run(c.settleUnknown(s));
  }

  function keyedSend(s: Scenario, kind: "send_mutation" | "resend_mutation", keyed: string | null) {
    const sending = c.send(s, kind) as SendMutation | ResendMutation;
    return { ...sending, verdict: { ...sending.verdict, keyed } };
  }

  test("[R75] is the same when it is sent again, or it is not sent", () => {
    const s = lost("one", "one");
    expect(s.mutationRow()).toMatchObject({ state: "needs_reconcile", verdict: { keyed: "one" } });
    for (const resend of [keyedSend(s, "resend_mutation", "other"), c.send(s, "resend_mutation")]) {
      const refused = { ok: false, refusal: { code: "keyed_otherwise" } };
      expect(decide(s.view, resend, s.now)).toMatchObject(refused);
    }
    s.run(keyedSend(s, "resend_mutation", "one")).run(c.settleApplied(s));
    expect(s.mutationRow()).toMatchObject({ state: "applied", sendCount: 2 });
  });

  test("[R75] [R65] and was another when it was sent: a person is asked", () => {
    const s = lost("one", null);
    expect(s.mutationRow().state).toBe("indeterminate");
    expect(s.openQuestions()).toEqual(["outcome_unknown"]);
  });

  test("[R75] [R65] is another by now: a person is asked, however long a key is known", () => {
    const s = lost("one", "one");
    const { mutationId } = s;
    const answer = { says: "retry", note: "changed", resendHelps: false } as const;
    s.run({ kind: "answer_reconcile", mutationId, answer, jitter: 0.5 });
    expect(s.mutationRow().state).toBe("indeterminate");
    expect(s.openQuestions()).toEqual(["outcome_unknown"]);
  });
});
