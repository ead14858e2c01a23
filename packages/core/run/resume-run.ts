import { closeAttentions } from "../attention/attend.ts";
import { isHeldRun, resumeHeldRuns } from "../intent/hold-intent.ts";
import type { RunnablePhase } from "../journal/action.ts";
import { type Draft, type Rule, refuse } from "../journal/decision.ts";
import { assertNever } from "../ports/invariant.ts";
import type { RunRow } from "../view/rows.ts";
import { whyRunMayNotGoOn } from "../workflow/runnable.ts";
import { heldEvents, openRunNamed, unsettledMutation } from "./find-runs.ts";
import { isPaused } from "./run-status.ts";

export type ResumeRun = {
  readonly kind: "resume_run";
  readonly runId: string;
  /** `host` when its time has come; a person may resume before it. */
  readonly actor: string;
};

/** Same run, same phase: the phase's handler starts from its top, a recorded call stays. */
export const resumeRun: Rule<ResumeRun> = (draft, { runId, actor }) => {
  const known = draft.view.find("runs", runId);
  if (known !== null && isHeldRun(known)) return resumeHeldRuns(draft, known, actor);
  const run = openRunNamed(draft, runId);
  if ("code" in run) return run;
  if (!isPaused(run.status)) return refuse("run_not_paused", `Run ${runId} is ${run.status}.`);
  if (run.retryFrom !== null) return refuse("retry_already_ordered");
  const bad = whyRunMayNotGoOn(draft.view, run) ?? whyNotResumable(draft, run, actor);
  if (bad) return bad;
  draft.emit({ kind: "run_resumed", runId, fresh: actor !== "host" });
  closeAttentions(draft, runId, { actor, answer: "resume" });
  const mutation = unsettledMutation(draft.view, runId);
  if (!mutation) draft.order({ kind: "run_phase", runId, phase: runnable(draft, run) });
  return null;
};

function whyNotResumable(draft: Draft, run: RunRow, actor: string) {
  if (run.status === "paused:reconciliation") return refuse("run_waits_for_outcome");
  if (run.reason === "brake") return refuse("brake_is_on", "It goes on when that is taken off.");
  const mutation = unsettledMutation(draft.view, run.runId);
  if (mutation?.state === "awaiting_approval") return refuse("mutation_awaits_approval");
  if (actor !== "host") return null;
  const due = run.dueAt !== null && run.dueAt <= draft.now;
  return due || run.status === "paused:user" ? null : refuse("run_is_due_later");
}

function runnable(draft: Draft, { runId, phase }: RunRow): RunnablePhase {
  switch (phase) {
    case "preparing":
      return "prepare";
    case "prepared":
      return heldEvents(draft.view, runId).length === 0 ? "next" : "mutate";
    case "mutating":
      return "mutate";
    case "mutated":
    case "emitting":
      return "next";
    case "executing":
      return "handler";
    case "committed":
      return assertNever(phase as never, "a committed run is never paused");
  }
}
