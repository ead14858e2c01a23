import { describe, expect, test } from "vitest";
import type { CoreCommand } from "../command.ts";
import { decide } from "../decide.ts";
import { policyDefaults } from "../policy/policy.ts";
import { nextWork } from "../schedule/next-work.ts";
import * as c from "./command-builder.ts";
import { loadedFor } from "./partial-view.ts";
import type { Scenario } from "./scenario.ts";
import { giveUp, inLedgerState, type LedgerColumn } from "./state-builder.ts";

function heldBy(s: Scenario): string | null {
  return s.view.load("events", "orders", "e1").reservedBy;
}

function evidenceOf(s: Scenario): string[] {
  return [...s.view.rows("mutation_evidence")].map(({ kind, says }) => `${kind} ${says}`);
}

describe("a failed re-send proves nothing about the first send", () => {
  const outcomes: Readonly<Record<string, (s: Scenario) => CoreCommand>> = {
    "refused by the service": (s) => c.settleFailed(s, "logic"),
    "not let in": (s) => c.settleFailed(s, "auth"),
    "not connected": (s) => c.settleFailed(s, "transient"),
    "rate limited": (s) => c.settle(s, { says: "rate_limited", until: s.now + c.hourMs }),
    "not even sent": (s) => c.unsent(s, "host-1"),
  };

  test.each(Object.keys(outcomes))("[R43] %s: still being found out about", (name) => {
    const s = inLedgerState("needs_reconcile", { retentionMs: c.dayMs });
    s.run(c.askedInVain(s)).later(c.hourMs);
    s.run(c.send(s, "resend_mutation"));
    const command = outcomes[name]?.(s);
    expect(command).toBeDefined();
    if (command) s.run(command);
    expect(s.mutationRow()).toMatchObject({ state: "needs_reconcile", reconcileCount: 1 });
    expect(s.runRow().status).toBe("paused:reconciliation");
    expect(heldBy(s)).toBe(s.runId);
    expect([...s.view.rows("mutation_inputs")]).toHaveLength(1);
    expect(evidenceOf(s)).toHaveLength(3);
  });

  test("but a confirmed one settles it", () => {
    const s = inLedgerState("needs_reconcile", { retentionMs: c.dayMs });
    s.run(c.send(s, "resend_mutation")).run(c.settleApplied(s));
    expect(s.mutationRow().state).toBe("applied");
    expect(s.runRow()).toMatchObject({ status: "active", phase: "mutated", outcome: "applied" });
  });
});

describe("an answer that its connector cannot read", () => {
  const remembers = { retentionMs: c.dayMs };

  function unread(options: Parameters<typeof inLedgerState>[1]): Scenario {
    const s = inLedgerState("in_flight", options);
    const note = "not what it declares";
    return s.run(c.settle(s, { says: "unknown", note, answered: true }));
  }

  test("[R114] [R65] is a question where only the key is left: it would answer the same", () => {
    const s = unread({ canReconcile: false, ...remembers });
    expect(s.mutationRow().state).toBe("indeterminate");
    expect(s.openQuestions()).toEqual(["outcome_unknown"]);
    expect(evidenceOf(s)).toEqual(["error unknown"]);
    expect(nextWork(s.view, s.now + c.hourMs).kind).toBe("wait");
  });

  test("[R114] [R64] is looked for where the service can be asked", () => {
    const s = unread(remembers);
    expect(s.mutationRow().state).toBe("needs_reconcile");
    expect(nextWork(s.view, s.now).kind).toBe("reconcile");
  });
});

describe("a late answer while the call is sent again", () => {
  const sentAgain = () => {
    const s = inLedgerState("needs_reconcile", { retentionMs: c.dayMs });
    return s.run(c.send(s, "resend_mutation"));
  };

  test("[R161] that says applied settles it, and the second answer is refused", () => {
    const s = sentAgain();
    s.run(c.lateAnswer(s, "applied"));
    expect(s.mutationRow().state).toBe("applied");
    expect(s.runRow()).toMatchObject({ status: "active", phase: "mutated", outcome: "applied" });
    expect(evidenceOf(s)).toContain("late applied");
    const second = decide(s.view, c.settleFailed(s, "logic"), s.now);
    expect(second).toMatchObject({ ok: false, refusal: { code: "mutation_settled" } });
  });

  test.each(["failed", "unknown"] as const)(
    "[R161] that says %s is evidence, and no more",
    (says) => {
      const s = sentAgain();
      const before = s.mutationRow();
      s.run(c.lateAnswer(s, says));
      expect(s.mutationRow()).toEqual(before);
      expect(evidenceOf(s)).toContain(`late ${says}`);
      s.run(c.settleApplied(s));
      expect(s.mutationRow().state).toBe("applied");
    },
  );
});

describe("a late contradiction", () => {
  const closedRow: readonly LedgerColumn[] = ["failed", "indeterminate+skip"];

  test.each(closedRow)("[R161] never changes a row that is %s, asks and brakes", (state) => {
    const s = inLedgerState(state);
    const [before, run] = [s.mutationRow(), s.runRow()];
    s.run(c.lateAnswer(s, "applied"));
    expect(s.mutationRow()).toEqual(before);
    expect(s.runRow()).toEqual(run);
    expect(s.openQuestions()).toContain("happened_after_all");
    expect(s.view.find("brakes", c.operation)?.setBy).toBe("host");
    expect(evidenceOf(s)).toContain("late applied");
  });

  test("[R161] is taken in after the run has ended, and seeing it leaves the brake on", () => {
    const s = inLedgerState("indeterminate+skip");
    s.run(c.commitRun(s));
    const late = c.lateAnswer(s, "applied");
    expect(decide(loadedFor(s.view, late), late, s.now).ok).toBe(true);
    s.run(late);
    expect(s.openQuestions()).toEqual(["happened_after_all"]);
    const [question] = [...s.view.rows("attentions")].filter((row) => row.closedAt === null);
    const attentionId = question?.attentionId ?? "";
    s.run({ kind: "acknowledge", attentionId, actor: c.actor });
    expect(s.openQuestions()).toEqual([]);
    expect(s.view.find("brakes", c.operation)).not.toBeNull();
  });

  test("[R161] twice asks once and brakes once", () => {
    const s = inLedgerState("failed");
    s.run(c.lateAnswer(s, "applied")).run(c.lateAnswer(s, "applied"));
    expect(s.openQuestions().filter((kind) => kind === "happened_after_all")).toHaveLength(1);
    expect([...s.view.rows("brakes")]).toHaveLength(1);
  });

  test("that confirms what is recorded is evidence and nothing more", () => {
    const s = inLedgerState("applied").run(c.lateAnswer(inLedgerState("applied"), "applied"));
    expect(s.openQuestions()).toEqual([]);
    expect([...s.view.rows("brakes")]).toEqual([]);
  });
});

describe("one answer wins", () => {
  const answers = [
    c.didNotHappen(),
    { says: "happened", result: null },
    { says: "skip" },
    { says: "try_again" },
  ] as const;

  test.each(answers.map((answer) => [answer.says, answer] as const))(
    "[R74] after %s every other answer is told so and changes nothing",
    (_, first) => {
      const s = inLedgerState("indeterminate");
      s.run(c.resolve(s, first, "ann"));
      const resolution = s.mutationRow().resolution;
      expect(resolution).toMatchObject({ kind: first.says, actor: "ann", at: s.now });
      for (const second of answers) {
        const expected =
          first.says === "skip"
            ? "mutation_resolved"
            : first.says === "try_again"
              ? "mutation_not_indeterminate"
              : "mutation_settled";
        expect(s.refusalOf(c.resolve(s, second, "bob"))).toBe(expected);
      }
    },
  );

  test("[R74] the loop found out first: the person is told", () => {
    const s = inLedgerState("indeterminate");
    s.run(c.lateAnswer(s, "applied"));
    expect(s.refusalOf(c.resolve(s, c.didNotHappen()))).toBe("mutation_settled");
    expect(s.openQuestions()).toEqual([]);
  });

  test("[R74] the person answered first: the loop is told", () => {
    const s = inLedgerState("indeterminate");
    s.run(c.resolve(s, c.didNotHappen()));
    const found = c.answer(s, { says: "applied", result: null });
    expect(s.refusalOf(found)).toBe("mutation_settled");
  });
});

describe("what a person may answer", () => {
  test("[R71] try again needs a reconcile, and gives all its tries back", () => {
    const mute = inLedgerState("indeterminate", { canReconcile: false });
    expect(mute.refusalOf(c.resolve(mute, { says: "try_again" }))).toBe("cannot_reconcile");
    const s = inLedgerState("indeterminate");
    expect(s.mutationRow().reconcileCount).toBe(policyDefaults.reconcileTriesMax - 1);
    s.run(c.resolve(s, { says: "try_again" }));
    expect(s.mutationRow()).toMatchObject({ state: "needs_reconcile", reconcileCount: 0 });
    expect(s.openQuestions()).toEqual([]);
    expect(giveUp(s).openQuestions()).toEqual(["outcome_unknown"]);
  });

  test("[R72] it did not happen: the row fails under the person's name, the guard goes", () => {
    const s = inLedgerState("indeterminate");
    s.run(c.resolve(s, c.didNotHappen()));
    expect(s.mutationRow()).toMatchObject({
      state: "failed",
      resolution: { kind: "did_not_happen", actor: c.actor },
    });
    expect([...s.view.rows("mutation_inputs")]).toEqual([]);
    expect(s.runRow().retryFrom).toBe("preparing");
    const t = inLedgerState("indeterminate");
    t.run(c.resolve(t, c.didNotHappen("replay"))).run(c.onRun("start_retry", t));
    expect(t.runRow()).toMatchObject({ phase: "mutating", prepareResult: { size: 8 } });
    expect(heldBy(t)).toBe(t.runId);
  });

  test("[R73] skip: next hears skipped, the events become skipped and keep their cause", () => {
    const s = inLedgerState("indeterminate");
    s.run(c.resolve(s, { says: "skip" }));
    expect(s.mutationRow()).toMatchObject({ state: "indeterminate", resolution: { kind: "skip" } });
    expect(s.runRow()).toMatchObject({ phase: "mutated", outcome: "skipped" });
    s.run(c.commitRun(s));
    expect(s.view.load("events", "orders", "e1")).toMatchObject({
      status: "skipped",
      causedBy: [c.inputOf("e1")],
    });
  });
});

describe("while the outcome is unknown", () => {
  const unknown = ["in_flight", "needs_reconcile", "indeterminate"] as const;

  test.each(unknown)("[R69] %s: the events stay reserved and nothing is scheduled", (state) => {
    const s = inLedgerState(state).later(c.dayMs);
    expect(heldBy(s)).toBe(s.runId);
    const work = { in_flight: "recover_run", needs_reconcile: "reconcile", indeterminate: "wait" };
    expect(nextWork(s.view, s.now).kind).toBe(work[state]);
    expect(s.refusalOf(c.startRun(s))).toBe("run_open_already");
    expect(s.refusalOf(c.onRun("stop_run", s))).toBe("run_waits_for_outcome");
  });

  test("[R68] not found before the visibility delay never fails the row", () => {
    const s = inLedgerState("needs_reconcile").later(c.dayMs / 2);
    s.run(c.notFound(s, c.visibilityDelayMs - 1));
    expect(s.mutationRow().state).toBe("needs_reconcile");
    s.run(c.notFound(s, 0));
    expect(s.mutationRow().state).toBe("needs_reconcile");
    s.run(c.notFound(s, c.visibilityDelayMs));
    expect(s.mutationRow().state).toBe("failed");
  });

  test("[R68] not found without a declared delay ends with a person, never with failed", () => {
    const s = inLedgerState("needs_reconcile", { visibilityDelayMs: null });
    while (s.mutationRow().state === "needs_reconcile") s.run(c.notFound(s, c.dayMs));
    expect(s.mutationRow().state).toBe("indeterminate");
    expect(s.openQuestions()).toEqual(["outcome_unknown"]);
  });
});

describe("after a definite failure", () => {
  test("[R108] transient: counted tries, then a person, with events and call kept", () => {
    const s = inLedgerState("in_flight");
    for (let tries = 1; tries <= policyDefaults.transientTriesMax; tries += 1) {
      s.run(c.settleFailed(s, "transient"));
      expect(s.runRow()).toMatchObject({ status: "paused:transient", transientCount: tries });
      s.later(c.hourMs).run(c.resumeRun(s, "host")).run(c.send(s));
    }
    s.run(c.settleFailed(s, "transient")).later(c.dayMs);
    expect(s.openQuestions()).toEqual(["retries_exhausted"]);
    expect(s.refusalOf(c.resumeRun(s, "host"))).toBe("run_is_due_later");
    expect(heldBy(s)).toBe(s.runId);
    s.run(c.resumeRun(s)).run(c.send(s)).run(c.settleApplied(s));
    expect(s.runRow()).toMatchObject({ outcome: "applied", transientCount: 0 });
  });

  test("[R150] a rate limit has its due time and uses up no try", () => {
    const s = inLedgerState("in_flight");
    const until = s.now + c.hourMs;
    s.run(c.settle(s, { says: "rate_limited", until }));
    const waiting = { status: "paused:transient", reason: "rate_limit", dueAt: until };
    expect(s.runRow()).toMatchObject({ ...waiting, transientCount: 0 });
    expect(s.refusalOf(c.resumeRun(s, "host"))).toBe("run_is_due_later");
    s.later(c.hourMs).run(c.resumeRun(s, "host")).run(c.send(s));
    expect(s.mutationRow().sendCount).toBe(2);
  });

  test("[R110] auth: a person is asked, and the same run goes on at the same phase", () => {
    const s = inLedgerState("in_flight");
    const { runId } = s;
    s.run(c.settleFailed(s, "auth")).later(c.dayMs);
    expect(s.runRow()).toMatchObject({ status: "paused:approval", reason: "auth" });
    expect(s.openQuestions()).toEqual(["action_needed"]);
    expect(s.refusalOf(c.onRun("retry_run", s))).toBe("run_not_failed");
    s.run(c.resumeRun(s));
    expect(s.runRow()).toMatchObject({ runId, status: "active", phase: "mutating" });
    s.run(c.recordMutation(s));
    expect(s.mutationRow()).toMatchObject({ runId, callNo: 2, state: "ready" });
  });
});
