import { type Draft, type Rule, refuse } from "../journal/decision.ts";
import type { Refusal } from "../journal/refusal.ts";
import { admitSize, admitTitle } from "../policy/admit.ts";
import { clampWakeAt } from "../schedule/wake-at.ts";
import { eventName } from "../topic/event-name.ts";
import type { EventRef } from "../topic/topic-facts.ts";
import { pinPayload } from "../view/payload.ts";
import type { Instant, RunRow, Seq } from "../view/rows.ts";
import type { Ran } from "./active-time.ts";
import { activeRunNamed } from "./find-runs.ts";
import type { ReservedEvent } from "./run-facts.ts";

export type WantedEvent = {
  readonly topic: string;
  readonly messageId: string;
  /** Revision the script saw; null = it named the event without reading it. */
  readonly revision: Seq | null;
};

export type FinishPrepare = Ran & {
  readonly kind: "finish_prepare";
  readonly runId: string;
  /** Head when this look began: a run that is resumed or retried looks anew. */
  readonly asOf: Seq;
  readonly reservations: readonly WantedEvent[];
  /** Canonical bytes of what `mutate` and `next` will receive. */
  readonly prepareResult: Uint8Array;
  readonly selectionId: string | null;
  readonly uiTitle: string | null;
  /** The event that made the run start, if the script says which; must be reserved. */
  readonly trigger: EventRef | null;
  readonly wakeAt: Instant | null;
};

/** Result, every reservation, wake time and phase land in one change, or none does. */
export const finishPrepare: Rule<FinishPrepare> = (draft, command) => {
  const run = activeRunNamed(draft, command.runId);
  if ("code" in run) return run;
  if (run.phase !== "preparing") return refuse("phase_must_be_preparing");
  const bad = whyTooLarge(draft, command) ?? whyForeignTrigger(command);
  if (bad) return bad;
  const asOf = Math.min(command.asOf, draft.view.head.seq);
  const pinned = pinEvents(draft, { ...run, asOf }, command.reservations);
  if ("code" in pinned) return pinned;
  const { payload, blob } = pinPayload(command.prepareResult);
  draft.store(blob);
  draft.emit({
    kind: "run_prepared",
    runId: run.runId,
    handler: run.handler,
    asOf,
    reservations: pinned,
    prepareResult: payload,
    selectionId: command.selectionId ?? `s_${run.runId}`,
    uiTitle: command.uiTitle === null ? null : admitTitle(draft.view.policy, command.uiTitle),
    trigger: triggerOf(command.trigger ?? pinned[0]),
    wakeAt: clampWakeAt(draft.view.policy, command.wakeAt, draft.now),
  });
  return null;
};

function triggerOf(event: EventRef | undefined): string | null {
  return event ? eventName(event) : null;
}

function whyTooLarge(draft: Draft, command: FinishPrepare): Refusal | null {
  const { reservationsMax, payloadBytesMax } = draft.view.policy;
  return (
    admitSize("reserved events", command.reservations.length, reservationsMax) ??
    admitSize("PrepareResult in bytes", command.prepareResult.length, payloadBytesMax)
  );
}

function whyForeignTrigger({ trigger, reservations }: FinishPrepare): Refusal | null {
  if (trigger === null) return null;
  const reserved = reservations.some((event) => eventName(event) === eventName(trigger));
  return reserved ? null : refuse("trigger_not_reserved");
}

function pinEvents(
  draft: Draft,
  run: RunRow,
  wanted: readonly WantedEvent[],
): ReservedEvent[] | Refusal {
  const seen = new Set<string>();
  const pinned: ReservedEvent[] = [];
  for (const event of wanted) {
    const name = eventName(event);
    if (seen.has(name)) return refuse("reservation_repeated", `${name} is reserved twice.`);
    seen.add(name);
    const one = pinEvent(draft, run, event);
    if ("code" in one) return one;
    pinned.push(one);
  }
  return pinned;
}

/**
 * Strict: every id must exist, be subscribed to and pending. A miss that a later fact explains
 * means the world moved on while the script looked: prepare again, nobody failed.
 */
function pinEvent(draft: Draft, run: RunRow, wanted: WantedEvent): ReservedEvent | Refusal {
  const { topic, messageId } = wanted;
  const name = eventName(wanted);
  if (!draft.view.load("handlers", run.handler).subscribe.includes(topic)) {
    return refuse("reservation_not_subscribed", `${run.handler} does not subscribe to ${topic}.`);
  }
  const event = draft.view.find("events", topic, messageId);
  if (!event) return refuse("reservation_unknown", `There is no event ${name}.`);
  const changedSince = event.revision > run.asOf;
  if (changedSince) return refuse("prepare_again", `${name} changed after the run had looked.`);
  if (event.status !== "pending") {
    return refuse("reservation_not_pending", `${name} is ${event.status}.`);
  }
  if (wanted.revision !== null && wanted.revision !== event.revision) {
    return refuse("reservation_unknown", `${name} never had revision ${wanted.revision}.`);
  }
  const { revision, attempt, deliveryCount } = event;
  return { topic, messageId, revision, attempt, deliveryCount: deliveryCount + 1 };
}
