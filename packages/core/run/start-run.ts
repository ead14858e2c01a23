import { type Draft, type Rule, refuse } from "../journal/decision.ts";
import type { Refusal } from "../journal/refusal.ts";
import { invariant } from "../ports/invariant.ts";
import type { EventRef } from "../topic/topic-facts.ts";
import type { HandlerRow, Seq } from "../view/rows.ts";
import { deployersOf } from "../workflow/deployers-of.ts";
import { versionText, whyNotRunnable } from "../workflow/runnable.ts";
import { findOpenRun } from "./find-runs.ts";

export const runReasons = ["event", "wake", "schedule", "webhook", "manual"] as const;
/** Why a run is started; one that is a retry says so itself. */
export type RunReason = (typeof runReasons)[number];

export type StartRun = {
  readonly kind: "start_run";
  readonly handler: string;
  /** Head when the run began to look; later facts may make it prepare again. */
  readonly asOf: Seq;
  /** null = for no reason, as anything may be run again. */
  readonly trigger: RunReason | null;
  /** Of a job: the event that it is for, and holds from the beginning; absent = none. */
  readonly event?: EventRef | null;
};

export function runIdAt(seq: Seq): string {
  return `r${seq}`;
}

/** The fact that made the run: nothing of it is older. */
export function runSeqOf(runId: string): Seq {
  const seq = Number(runId.slice(1));
  invariant(runIdAt(seq) === runId, `${runId} is the id of a run`);
  return seq;
}

export const startRun: Rule<StartRun> = (draft, command) => {
  const { handler: name, asOf, trigger, event = null } = command;
  const bad = whyNotRunnable(draft.view) ?? whyRunOpen(draft);
  if (bad) return bad;
  const handler = draft.view.find("handlers", name);
  if (!handler) return refuse("handler_not_found", `No handler is named ${name}.`);
  if (!handler.declared) return refuse("handler_not_declared");
  const wrong = event && whyNotReservable(draft, handler, event);
  if (wrong) return wrong;
  const runId = runIdAt(draft.nextSeq);
  draft.emit({
    kind: "run_started",
    runId,
    handler: name,
    handlerKind: handler.kind,
    phase: firstPhase(handler),
    retryOf: null,
    rootRunId: runId,
    asOf: Math.min(asOf, draft.view.head.seq),
    trigger,
    version: versionText(draft.view.load("workflows")),
    scriptHash: draft.view.load("workflows").scriptHash,
    deployers: deployersOf(draft.view.load("workflows")),
    transientCount: 0,
    inherits: null,
  });
  if (event) reserve(draft, runId, [event]);
  const phase = handler.kind === "consumer" ? "prepare" : "handler";
  draft.order({ kind: "run_phase", runId, phase });
  return null;
};

/** Consumers choose for themselves; a job gets the one event it was started by. */
function whyNotReservable(draft: Draft, handler: HandlerRow, event: EventRef): Refusal | null {
  if (handler.kind !== "job") return refuse("handler_not_job");
  if (!handler.subscribe.includes(event.topic)) return refuse("reservation_not_subscribed");
  const row = draft.view.find("events", event.topic, event.messageId);
  if (!row) return refuse("reservation_unknown");
  return row.status === "pending" ? null : refuse("reservation_not_pending");
}

export function reserve(draft: Draft, runId: string, events: readonly EventRef[]): void {
  const reserved = events.map(({ topic, messageId }) => {
    const { revision, attempt, deliveryCount } = draft.view.load("events", topic, messageId);
    return { topic, messageId, revision, attempt, deliveryCount: deliveryCount + 1 };
  });
  draft.emit({ kind: "events_reserved", runId, events: reserved });
}

function whyRunOpen(draft: Draft): Refusal | null {
  const open = findOpenRun(draft.view);
  return open ? refuse("run_open_already", `Run ${open.runId} is open (${open.status}).`) : null;
}

function firstPhase({ kind }: HandlerRow): "preparing" | "executing" {
  return kind === "consumer" ? "preparing" : "executing";
}
