import { type CoreCommand, invariant, type Refusal, type View } from "@holdfast/core";
import type { Executed } from "../workflow-owner.ts";
import type { LoopEnd } from "./loop-parts.ts";

/** A job that an event woke, and none is there any more: nothing up to here was overlooked. */
export function nothingFound(runId: string): CoreCommand {
  const empty = { inputs: [], publishes: [], state: null, nextRunAt: null, kv: [], deliveries: [] };
  return { kind: "commit_run", runId, ...empty };
}

export function activeHash(view: View): string {
  const { scriptHash } = view.load("workflows");
  invariant(scriptHash !== null, `${view.workflow} has a script before it runs`);
  return scriptHash;
}

export function brokenBy({ code, note }: Refusal): LoopEnd {
  return { kind: "broken", note: `${code}: ${note}` };
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
