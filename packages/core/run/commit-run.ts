import { type Draft, type Rule, refuse } from "../journal/decision.ts";
import type { Refusal } from "../journal/refusal.ts";
import { admitId, admitSize } from "../policy/admit.ts";
import { comesOfOlder, noteCaughtUp } from "../restore/restore-point.ts";
import { pinPayload } from "../view/payload.ts";
import type { Instant, RunRow } from "../view/rows.ts";
import { versionText } from "../workflow/runnable.ts";
import type { Ran } from "./active-time.ts";
import { advance } from "./advance.ts";
import { activeRunNamed, heldEvents, unsettledMutation } from "./find-runs.ts";
import { publishAll } from "./publish-all.ts";
import type { KvWrite } from "./run-facts.ts";
import { type NewInput, type PublishedEvent, whyPublishingIsWrong } from "./run-publications.ts";

export type CommitRun = Ran & {
  readonly kind: "commit_run";
  readonly runId: string;
  readonly inputs: readonly NewInput[];
  readonly publishes: readonly PublishedEvent[];
  /** Canonical bytes; null = keep the state there was. */
  readonly state: Uint8Array | null;
  /** Next scheduled time, computed by the shell; null = not scheduled. */
  readonly nextRunAt: Instant | null;
  readonly kv: readonly { readonly key: string; readonly value: Uint8Array | null }[];
  /** Input ids of the deliveries the handler was given: exactly these are taken. */
  readonly deliveries: readonly string[];
};

/** One change: events settled, publishes visible, state kept, run committed, next time set. */
export const commitRun: Rule<CommitRun> = (draft, command) => {
  const run = activeRunNamed(draft, command.runId);
  if ("code" in run) return run;
  const bad =
    whyWrongPhase(draft, run) ??
    whyPublishingIsWrong(draft, run, command) ??
    whyNotTakeable(draft, run, command.deliveries);
  if (bad) return bad;
  const headBefore = draft.view.head.seq;
  const reserved = heldEvents(draft.view, run.runId);
  const older = comesOfOlder(draft.view, run, { events: reserved, ...command });
  const failed = publishAll(draft, run, { ...command, older });
  if (failed) return failed;
  if (run.kind === "consumer" && run.phase !== "emitting") advance(draft, run, "emitting");
  const kv = kvWrites(draft, run, command);
  if ("code" in kv) return kv;
  const state = pinState(draft, command.state);
  if (state && "code" in state) return state;
  draft.emit({
    kind: "run_committed",
    runId: run.runId,
    handler: run.handler,
    events: reserved.map(({ topic, messageId }) => ({ topic, messageId })),
    disposition: run.outcome === "skipped" ? "skipped" : "consumed",
    state,
    checkedThrough: foundNothing(draft, run, reserved.length) ? run.asOf : null,
    handlerKind: run.kind,
    nextRunAt: nextTime(draft, run, command.nextRunAt),
    kv,
    deliveries: command.deliveries,
    waitingCount: waitingAfter(draft, run, command.deliveries.length),
  });
  noteCaughtUp(draft, run, headBefore);
  return null;
};

/** Each once, waiting, and pushed to this handler: nothing is taken that was not shown to it. */
function whyNotTakeable(draft: Draft, run: RunRow, inputIds: readonly string[]): Refusal | null {
  if (new Set(inputIds).size < inputIds.length) {
    return refuse("delivery_not_waiting", "A delivery is taken twice.");
  }
  for (const inputId of inputIds) {
    const delivery = draft.view.find("deliveries", inputId);
    if (delivery?.handler === run.handler && delivery.status === "waiting") continue;
    return refuse("delivery_not_waiting", `${inputId} does not wait for ${run.handler}.`);
  }
  return null;
}

function waitingAfter(draft: Draft, run: RunRow, takenCount: number): number | null {
  if (takenCount === 0) return null;
  return draft.view.load("handlers", run.handler).waitingCount - takenCount;
}

/** A version was activated under the run: the new code has yet to look at anything. */
function isOutdated(draft: Draft, run: RunRow): boolean {
  return versionText(draft.view.load("workflows")) !== run.version;
}

/** As of the head at its start, never the head now: what came in meanwhile must wake it again. */
function foundNothing(draft: Draft, run: RunRow, reservedCount: number): boolean {
  // A job is given its event when it is started for one; if there was none, there is none.
  const looks = run.kind === "consumer" || (run.kind === "job" && run.trigger === "event");
  return looks && reservedCount === 0 && !isOutdated(draft, run);
}

function nextTime(draft: Draft, run: RunRow, given: Instant | null): Instant | null {
  if (run.kind === "consumer") return null;
  return isOutdated(draft, run) ? draft.view.load("handlers", run.handler).nextRunAt : given;
}

/** Consumers commit out of next; one that reserved nothing goes there straight from prepare. */
function whyWrongPhase(draft: Draft, run: RunRow): Refusal | null {
  if (run.kind === "job" && unsettledMutation(draft.view, run.runId)) {
    return refuse("run_waits_for_outcome");
  }
  if (run.kind !== "consumer") {
    return run.phase === "executing" ? null : refuse("phase_must_be_executing");
  }
  const nothingReserved = heldEvents(draft.view, run.runId).length === 0;
  const ready =
    run.phase === "mutated" ||
    run.phase === "emitting" ||
    (run.phase === "prepared" && nothingReserved);
  return ready ? null : refuse("phase_must_be_emitting");
}

function pinState(draft: Draft, bytes: Uint8Array | null) {
  if (bytes === null) return null;
  const bad = admitSize("state in bytes", bytes.length, draft.view.policy.stateBytesMax);
  if (bad) return bad;
  const { payload, blob } = pinPayload(bytes);
  draft.store(blob);
  return payload;
}

function kvWrites(draft: Draft, run: RunRow, command: CommitRun): KvWrite[] | Refusal {
  const { policy } = draft.view;
  if (command.kv.length > 0 && run.kind !== "producer") return refuse("handler_not_producer");
  const bad = admitSize("kv writes", command.kv.length, policy.kvWritesMax);
  if (bad) return bad;
  const writes: KvWrite[] = [];
  const latest = new Map(command.kv.map(({ key, value }) => [key, value]));
  for (const [key, bytes] of latest) {
    const wrong =
      admitId(policy, "kv key", key) ??
      admitSize("kv value in bytes", bytes?.length ?? 0, policy.stateBytesMax);
    if (wrong) return wrong;
    const known = draft.view.find("handler_kv", run.handler, key) !== null;
    if (bytes === null && !known) continue;
    const pinned = bytes === null ? null : pinPayload(bytes);
    draft.store(pinned?.blob ?? null);
    writes.push({ key, value: pinned?.payload ?? null, known });
  }
  return writes;
}
