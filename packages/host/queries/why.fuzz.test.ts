import {
  apply,
  decideAll,
  dueAt,
  type Explanation,
  explain,
  findWedges,
  nextWork,
  type Subject,
  View,
} from "@holdfast/core";
import fc from "fast-check";
import { expect, test } from "vitest";
import { likelyKind } from "../testing/likely-command.ts";
import { makers } from "../testing/random-command.ts";
import { fuzzScale, histories, type Step } from "../testing/random-history.ts";

/** One workflow, decided and folded, with nothing around it. */
class Play {
  readonly view = View.empty("orders");
  now = 1_000_000;

  step(step: Step): void {
    this.now += step.advanceMs;
    const kind = likelyKind(this.view, step);
    const command = makers[kind]({ view: this.view, now: this.now, choice: step });
    const decision = decideAll(this.view, [command], this.now);
    if (decision.ok) for (const record of decision.records) apply(this.view, record);
  }
}

function subjectsOf(view: View): Subject[] {
  return [
    { kind: "workflow" },
    ...[...view.rows("runs")].map(({ runId }) => ({ kind: "run", runId }) as const),
    ...[...view.rows("events")].map(
      ({ topic, messageId }) => ({ kind: "event", topic, messageId }) as const,
    ),
    ...[...view.rows("inputs")].map(({ inputId }) => ({ kind: "input", inputId }) as const),
  ];
}

const stops = ["workflow_not_created", "workflow_paused", "workflow_archived", "workflow_stopped"];

/** When the chain says that the host looks again by itself; null = not by itself. */
function saidUntil({ because }: Explanation): number | null {
  const times = because.flatMap((cause) =>
    "until" in cause && cause.until !== null ? [cause.until] : [],
  );
  const asks = because.some(({ kind }) => kind === "in_flight" || kind === "finding_out");
  if (!asks && because.some(({ kind }) => stops.includes(kind))) return null;
  return times.length === 0 ? null : Math.min(...times);
}

function expectAgreement({ view, now }: Play): void {
  const workflow = explain(view, { kind: "workflow" }, now);
  const work = nextWork(view, now);
  const due = work.kind !== "wait" && work.kind !== "stopped";
  expect(workflow.state).toBe(due ? "moving" : "waiting");
  if (due) expect(workflow.because.at(-1)).toEqual({ kind: "due_now", work });
  else expect(saidUntil(workflow)).toBe(dueAt(view, now));
}

test("[R59] everything moves, waits for a named reason or is done, whatever happened", () => {
  fc.assert(
    fc.property(histories, (steps) => {
      const play = new Play();
      for (const step of steps) {
        play.step(step);
        const all = subjectsOf(play.view).map((subject) => explain(play.view, subject, play.now));
        expect(all.filter(({ state }) => state === "unexplained")).toEqual([]);
        expect(all.filter(({ because }) => because.length === 0)).toEqual([]);
        expectAgreement(play);
        expect(findWedges(play.view, play.now)).toEqual([]);
      }
    }),
    { numRuns: 300 * fuzzScale },
  );
});
