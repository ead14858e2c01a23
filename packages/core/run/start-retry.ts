import { closeAttentions } from "../attention/attend.ts";
import type { RunnablePhase } from "../journal/action.ts";
import { type Draft, type Rule, refuse } from "../journal/decision.ts";
import { invariant } from "../ports/invariant.ts";
import type { RetryFrom, RunRow } from "../view/rows.ts";
import { deployersOf } from "../workflow/deployers-of.ts";
import { versionText, whyRunMayNotGoOn } from "../workflow/runnable.ts";
import { releaseEvents } from "./abort-run.ts";
import { heldEvents, openRunNamed } from "./find-runs.ts";
import type { Inheritance } from "./run-facts.ts";
import { reserve, runIdAt } from "./start-run.ts";

export type StartRetry = { readonly kind: "start_retry"; readonly runId: string };

const phaseToRun: Readonly<Record<RetryFrom, RunnablePhase>> = {
  preparing: "prepare",
  mutating: "mutate",
  emitting: "next",
  executing: "handler",
};

/** The ordered retry of an ended run, as a new run that takes over what the order says. */
export const startRetry: Rule<StartRetry> = (draft, { runId: retryOf }) => {
  const ended = openRunNamed(draft, retryOf);
  if ("code" in ended) return ended;
  const bad = whyRunMayNotGoOn(draft.view, ended);
  if (bad) return bad;
  const from = ended.retryFrom;
  if (from === null) return refuse("retry_not_ordered");
  if (ended.dueAt !== null && ended.dueAt > draft.now) return refuse("run_is_due_later");
  const handler = draft.view.load("handlers", ended.handler);
  if (!handler.declared) return refuse("handler_not_declared");
  const taken = from === "executing" ? heldEvents(draft.view, retryOf) : [];
  if (from === "preparing" || taken.length > 0) releaseEvents(draft, retryOf);
  closeAttentions(draft, retryOf, { actor: "host", answer: "retried" });
  const runId = runIdAt(draft.nextSeq);
  draft.emit({
    kind: "run_started",
    runId,
    handler: ended.handler,
    handlerKind: ended.kind,
    phase: from,
    retryOf,
    rootRunId: ended.rootRunId,
    asOf: draft.view.head.seq,
    trigger: ended.trigger,
    version: versionText(draft.view.load("workflows")),
    scriptHash: draft.view.load("workflows").scriptHash,
    deployers: deployersFor(draft, ended, from),
    transientCount: ended.transientCount,
    inherits: from === "mutating" || from === "emitting" ? inheritance(draft, ended, from) : null,
  });
  if (taken.length > 0) reserve(draft, runId, taken);
  draft.order({ kind: "run_phase", runId, phase: phaseToRun[from] });
  return null;
};

/** What an earlier version has prepared is in the call: its authors had a say in that, too. */
function deployersFor(draft: Draft, ended: RunRow, from: RetryFrom): readonly string[] | null {
  const active = deployersOf(draft.view.load("workflows"));
  if (from !== "mutating" || active === null) return active;
  return [...new Set([...(ended.deployers ?? []), ...active])];
}

function inheritance(draft: Draft, ended: RunRow, from: "mutating" | "emitting"): Inheritance {
  const { prepareResult, preparedAt, selectionId, uiTitle, trigger } = ended;
  invariant(
    prepareResult !== null && preparedAt !== null && selectionId !== null,
    `run ${ended.runId} is retried from ${from} but never prepared`,
  );
  const kept = from === "emitting";
  return {
    prepareResult,
    preparedAt,
    selectionId,
    uiTitle,
    trigger,
    outcome: kept ? ended.outcome : null,
    mutationId: kept ? ended.mutationId : null,
    events: heldEvents(draft.view, ended.runId).map(
      ({ topic, messageId, revision, attempt, deliveryCount }) => ({
        topic,
        messageId,
        revision,
        attempt,
        deliveryCount,
      }),
    ),
  };
}
