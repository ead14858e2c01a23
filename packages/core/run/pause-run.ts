import { openAttention } from "../attention/attend.ts";
import { pauseForBrake } from "../attention/brake-question.ts";
import { holdForGrants } from "../intent/hold-intent.ts";
import { isOfIntent } from "../intent/intent-run.ts";
import { type Draft, type Rule, refuse } from "../journal/decision.ts";
import { clampRateLimit, transientDelayMs } from "../policy/backoff.ts";
import {
  type OperationName,
  type Policy,
  rateLimitNames,
  transientNames,
  usedOf,
} from "../policy/policy.ts";
import type { Instant, RunFailure, RunRow } from "../view/rows.ts";
import type { Ran } from "./active-time.ts";
import { activeRunNamed, uncertainMutation } from "./find-runs.ts";
import { pause } from "./pause.ts";

export type PauseRun = Ran & {
  readonly kind: "pause_run";
  readonly runId: string;
  readonly because:
    | {
        readonly reason: "backoff";
        readonly failure: RunFailure;
        readonly jitter: number;
        /** The read that failed; absent = none did. */
        readonly call?: OperationName | null;
      }
    | {
        readonly reason: "rate_limit";
        readonly until: Instant;
        readonly call?: OperationName | null;
      }
    | { readonly reason: "user" }
    | {
        readonly reason: "auth" | "permission" | "precondition";
        readonly failure: RunFailure;
      }
    /** Of a metered call; the failure's location is its operation. */
    | { readonly reason: "brake"; readonly failure: RunFailure }
    | {
        readonly reason: "budget";
        readonly failure: RunFailure;
        /** When there is room again; absent = a person has to make some. */
        readonly until?: Instant;
      };
};

/** A paused run keeps its phase and its events and later goes on as itself. */
export const pauseRun: Rule<PauseRun> = (draft, { runId, because }) => {
  const dueAt = because.reason === "budget" ? (because.until ?? null) : null;
  const known = draft.view.find("runs", runId);
  if (known !== null && isOfIntent(known)) {
    const { reason } = because;
    if (reason !== "permission" && reason !== "budget") return refuse("run_closed");
    return holdForGrants(draft, known, { reason, failure: because.failure, dueAt });
  }
  const run = activeRunNamed(draft, runId);
  if ("code" in run) return run;
  if (uncertainMutation(draft.view, runId)) return refuse("run_waits_for_outcome");
  if (because.reason === "backoff") {
    const { failure, jitter, call } = because;
    return backOff(draft, run, failure, { jitter, policy: policyFor(draft, call) });
  }
  if (because.reason === "rate_limit") {
    waitForRate(draft, run, because.until, policyFor(draft, because.call));
    return null;
  }
  if (because.reason === "user") {
    pause(draft, run, { status: "paused:user", reason: "user" });
    return null;
  }
  if (because.reason === "brake") {
    pauseForBrake(draft, run, because.failure);
    return null;
  }
  pauseForPerson(draft, run, because.reason, because.failure, dueAt);
  return null;
};

function policyFor({ view }: Draft, call: OperationName | null = null): Policy {
  return call === null ? view.policy : view.policyOf(call);
}

/** Until the service wants to be called again, within bounds. */
export function waitForRate(draft: Draft, run: RunRow, until: Instant, policy: Policy): Instant {
  const dueAt = clampRateLimit(policy, until, draft.now);
  const used = usedOf(policy, rateLimitNames);
  const waits = { status: "paused:transient", reason: "rate_limit", dueAt } as const;
  pause(draft, run, { ...waits, policy: used });
  return dueAt;
}

/** Counted and capped; when the tries are used up a person is asked, and nothing is let go. */
export function backOff(
  draft: Draft,
  run: RunRow,
  failure: RunFailure,
  { jitter, policy }: { readonly jitter: number; readonly policy: Policy },
): null {
  const { transientTriesMax } = policy;
  const transientCount = run.transientCount + 1;
  const exhausted = transientCount > transientTriesMax;
  const delayMs = transientDelayMs(policy, transientCount, jitter);
  const dueAt = exhausted ? null : draft.now + delayMs;
  const counted = { dueAt, transientCount, failure, policy: usedOf(policy, transientNames) };
  pause(draft, run, { status: "paused:transient", reason: "backoff", ...counted });
  if (exhausted) {
    const note = `${transientTriesMax} tries failed, the last with: ${failure.message}`;
    openAttention(draft, "retries_exhausted", run.runId, note);
  }
  return null;
}

export function pauseForPerson(
  draft: Draft,
  run: RunRow,
  reason: "auth" | "permission" | "precondition" | "budget",
  failure: RunFailure,
  dueAt: Instant | null = null,
): void {
  pause(draft, run, { status: "paused:approval", reason, failure, dueAt });
  openAttention(draft, "action_needed", run.runId, `${reason}: ${failure.message}`);
}
