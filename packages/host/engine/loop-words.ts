import {
  type CoreCommand,
  type HandlerRow,
  invariant,
  isOfIntent,
  type Refusal,
  type RunReason,
  type View,
} from "@holdfast/core";
import type { Executed } from "../workflow-owner.ts";
import type { LoopEnd } from "./loop-parts.ts";
import type { StepParts } from "./phase-steps.ts";

type OfRun = "runId" | "rootRunId" | "opening" | "asOf" | "reason";
/** What of it the run says, and what it began with. */
export type RunToStep = Pick<StepParts, OfRun> & { readonly scriptHash: string };

/** The recorded call waits with its run until a person has mended what is missing. */
export function waitForCode(view: View, mutationId: string, message: string): CoreCommand {
  const { runId, handler: location } = view.load("mutations", mutationId);
  if (isOfIntent(view.load("runs", runId))) {
    return { kind: "fail_intent", mutationId, note: message };
  }
  const failure = { class: "precondition", message, location } as const;
  return { kind: "pause_run", runId, because: { reason: "precondition", failure } };
}

/** A job that an event woke, and none is there any more: nothing up to here was overlooked. */
export function nothingFound(runId: string): CoreCommand {
  const empty = { inputs: [], publishes: [], state: null, nextRunAt: null, kv: [], deliveries: [] };
  return { kind: "commit_run", runId, ...empty };
}

/**
 * Whether nobody would know of a run that killed its host: other firings stay due, one like this
 * has passed by the time that somebody else looks. Such a run is written down before it begins.
 */
export function isForgotten({ catchUp }: HandlerRow, why: RunReason): boolean {
  return catchUp === "skip" && why === "schedule";
}

export function activeHash(view: View): string {
  const { scriptHash } = view.load("workflows");
  invariant(scriptHash !== null, `${view.workflow} has a script before it runs`);
  return scriptHash;
}

export function brokenBy({ code, note }: Refusal): LoopEnd {
  return { kind: "broken", note: `${code}: ${note}` };
}

/** Of a call: an answer to an earlier request of it has come meanwhile, and has said it all. */
export function brokenUnlessSettled(refusal: Refusal): LoopEnd | null {
  return refusal.code === "mutation_settled" ? null : brokenBy(refusal);
}

export function hasOpenRun(view: View): boolean {
  for (const run of view.rows("runs")) if (run.open) return true;
  return false;
}

/** Of what was to be persisted; null = the loop goes on. */
export function endOf(executed: Executed): LoopEnd | null {
  if (executed.kind !== "lost") return null;
  const { answer } = executed;
  switch (answer.kind) {
    case "lease_lost":
      return { kind: "lost" };
    case "refused":
      return { kind: "broken", note: `${answer.constraint}: ${answer.note}` };
    case "conflict":
    case "budget_moved":
    case "unknown":
      // The view is gone; what is there is loaded again.
      return null;
  }
}
