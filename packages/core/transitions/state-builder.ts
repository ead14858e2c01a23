import type { LedgerState } from "../mutation/ledger-state.ts";
import type { RunStatus } from "../run/run-status.ts";
import type { OnMutationFailed } from "../view/rows.ts";
import {
  approve,
  askedInVain,
  askFor,
  commitRun,
  dayMs,
  failRun,
  failure,
  finishPrepare,
  hourMs,
  onEvent,
  onRun,
  onWorkflow,
  pauseRun,
  publishEvent,
  recordMutation,
  recoverRun,
  resolve,
  resumeRun,
  send,
  settleApplied,
  settleFailed,
  settleUnknown,
  startRun,
  version,
} from "./command-builder.ts";
import { Scenario } from "./scenario.ts";

/** A workflow with one producer and one consumer, and nothing to do. */
export function deployed(onMutationFailed: OnMutationFailed = "prepare"): Scenario {
  const s = new Scenario();
  return s.run({ kind: "create_workflow", name: "w" }).run(version(1, 0, onMutationFailed));
}

/** A consumer run that looks at the events e1 and e2. */
export function preparing(onMutationFailed: OnMutationFailed = "prepare"): Scenario {
  const s = deployed(onMutationFailed).run(publishEvent("e1")).run(publishEvent("e2"));
  return s.run(startRun(s));
}

/** The run holds e1; e2 stays pending. */
export function prepared(onMutationFailed: OnMutationFailed = "prepare"): Scenario {
  const s = preparing(onMutationFailed);
  return s.run(finishPrepare(s, "e1"));
}

export type LedgerOptions = {
  readonly canReconcile: boolean;
  readonly retentionMs: number | null;
  readonly visibilityDelayMs: number | null;
  /** True: `ready` is reached through an approval. */
  readonly asked: boolean;
  readonly onMutationFailed: OnMutationFailed;
};

const ledgerDefaults: LedgerOptions = {
  canReconcile: true,
  retentionMs: null,
  visibilityDelayMs: 60_000,
  asked: false,
  onMutationFailed: "prepare",
};

/** The ledger states, and the one that looks the same but has a person's skip on it. */
export type LedgerColumn = LedgerState | "indeterminate+skip";

export function inLedgerState(state: LedgerColumn, options: Partial<LedgerOptions> = {}): Scenario {
  const how = { ...ledgerDefaults, ...options };
  const s = prepared(how.onMutationFailed);
  recordCall(s, state, how);
  if (state === "awaiting_approval") return s;
  if (how.asked) s.run(approve(s));
  if (state === "ready") return s;
  s.run(send(s));
  switch (state) {
    case "in_flight":
      return s;
    case "applied":
      return s.run(settleApplied(s));
    case "failed":
      return s.run(settleFailed(s, "logic"));
    case "needs_reconcile":
      return s.run(settleUnknown(s));
    case "indeterminate":
      return giveUp(s.run(settleUnknown(s)));
    case "indeterminate+skip":
      giveUp(s.run(settleUnknown(s)));
      return s.run(resolve(s, { says: "skip" }));
  }
}

function recordCall(s: Scenario, state: LedgerColumn, how: LedgerOptions): void {
  // Without a way to find out and without retention nobody stays in needs_reconcile.
  const mustStay = state === "needs_reconcile" && !how.canReconcile && how.retentionMs === null;
  const retentionMs = mustStay ? dayMs : how.retentionMs;
  const ask = how.asked || state === "awaiting_approval" ? askFor(s) : null;
  const { canReconcile, visibilityDelayMs } = how;
  s.run(recordMutation(s, { canReconcile, visibilityDelayMs, retentionMs, ask }));
}

/** Asks in vain until nothing is left to ask. */
export function giveUp(s: Scenario): Scenario {
  while (s.mutationRow().state === "needs_reconcile") s.run(askedInVain(s));
  return s;
}

export type RunPoint = "preparing" | "prepared" | "mutating" | "mutated";

/** An active consumer run at that phase. */
export function atPhase(point: RunPoint): Scenario {
  if (point === "preparing") return preparing();
  const s = prepared();
  if (point === "prepared") return s;
  if (point === "mutated") return s.run(onRun("finish_mutate", s));
  // A definite failure that a person put right: the phase is there, the call is not.
  s.run(recordMutation(s));
  s.run(send(s));
  s.run(settleFailed(s, "auth"));
  return s.run(resumeRun(s));
}

/** The run statuses, and `superseded`, which is none: the status says why the run stopped. */
export type RunColumn = RunStatus | "superseded";

export function inRunStatus(status: RunColumn, at: RunPoint): Scenario {
  if (status === "paused:reconciliation") return inLedgerState("needs_reconcile");
  const s = atPhase(at);
  switch (status) {
    case "active":
      return s;
    case "paused:transient":
      return s.run(pauseRun(s, { reason: "rate_limit", until: s.now + hourMs / 2 }));
    case "paused:approval":
      return s.run(pauseRun(s, { reason: "auth", failure: failure("auth") }));
    case "paused:user":
      return s.run(pauseRun(s, { reason: "user" }));
    case "failed:logic":
      return s.run(failRun(s, "logic"));
    case "failed:internal":
      return s.run(failRun(s, "internal"));
    case "crashed":
      return s.run(recoverRun("host-2"));
    case "aborted":
      return s.run(onRun("stop_run", s)).run(onWorkflow("resume_workflow"));
    case "committed":
      return committed();
    case "superseded":
      return superseded(s);
  }
}

function committed(): Scenario {
  const s = atPhase("mutated");
  return s.run(commitRun(s));
}

function superseded(s: Scenario): Scenario {
  const { runId } = s;
  s.run(recoverRun("host-2")).run(onRun("start_retry", s));
  s.runId = runId;
  return s;
}

/** A run that came back after its change was applied: only `next` is left. */
export function emitting(): Scenario {
  const s = inLedgerState("applied");
  s.run(recoverRun("host-2"));
  return s.run(onRun("start_retry", s));
}

export type EventColumn =
  | "pending"
  | "reserved"
  | "reserved+unknown"
  | "reserved+applied"
  | "consumed"
  | "consumed@2"
  | "skipped";

/** The event e1; where it is settled, a later run is there to look at it. */
export function inEventStatus(status: EventColumn): Scenario {
  switch (status) {
    case "pending":
      return preparing();
    case "reserved":
      return atPhase("mutated");
    case "reserved+unknown":
      return inLedgerState("needs_reconcile");
    case "reserved+applied":
      return inLedgerState("applied");
    case "consumed":
      return withLaterRun(committed());
    case "consumed@2":
      return withLaterRun(consumedAgain());
    case "skipped":
      return withLaterRun(atPhase("prepared").run(onEvent("skip_event", "e1")));
  }
}

function consumedAgain(): Scenario {
  const s = committed().run(onEvent("reprocess_event", "e1"));
  s.run(startRun(s));
  s.run(finishPrepare(s, "e1"));
  s.run(onRun("finish_mutate", s));
  return s.run(commitRun(s));
}

/** The scenario keeps naming the run that held the event. */
function withLaterRun(s: Scenario): Scenario {
  const { runId } = s;
  s.run(startRun(s));
  s.runId = runId;
  return s;
}

export type WorkflowColumn = "none" | "active" | "paused" | "archived" | "error" | "paused+error";

export function inWorkflowStatus(
  status: WorkflowColumn,
  { withCall = false }: { readonly withCall?: boolean } = {},
): Scenario {
  if (status === "none") return new Scenario();
  if (status === "error") return errored();
  if (status === "paused+error") return errored().run(onWorkflow("pause_workflow"));
  const s = withCall ? inLedgerState("ready") : deployed().run(publishEvent("e1"));
  if (status === "paused") return s.run(onWorkflow("pause_workflow"));
  if (status === "active") return s;
  if (withCall) s.run(onRun("stop_run", s));
  return s.run(onWorkflow("archive_workflow"));
}

/** Two hosts died over the same handler, one after the other. */
export function errored(): Scenario {
  const s = preparing();
  s.run(recoverRun("host-2"));
  s.run(onRun("start_retry", s));
  return s.run(recoverRun("host-3"));
}
