import type { ItemRow } from "../item/item-row.ts";
import { type Draft, refuse } from "../journal/decision.ts";
import type { Refusal } from "../journal/refusal.ts";
import { admitSize } from "../policy/admit.ts";
import { invariant } from "../ports/invariant.ts";
import { eventName } from "../topic/event-name.ts";
import { type InputKey, inputIdOf } from "../topic/input-id.ts";
import { generatedMessageId } from "../topic/message-id.ts";
import type { Publication } from "../topic/publish.ts";
import type { RunRow } from "../view/rows.ts";
import type { View } from "../view/view.ts";
import { heldEvents } from "./find-runs.ts";

export type NewInput = InputKey & { readonly title: string };

export type PublishedEvent = {
  readonly topic: string;
  /** null = the host makes one that a retry would make again. */
  readonly messageId: string | null;
  readonly payload: Uint8Array;
  readonly title: string | null;
  /** Producers and jobs say where it came from; `next` inherits and must not say. */
  readonly inputId: string | null;
};

type RunPublication = { readonly event: Publication; readonly input: NewInput | null };

/** The item of a job that something was published in. */
export type PublishedIn = Pick<ItemRow, "itemId" | "attempt">;

/** In an item it is the same whichever run comes to it, as long as the attempt is. */
export function messageIdOf(
  workflow: string,
  { handler, rootRunId }: RunRow,
  publishIndex: number,
  item: PublishedIn | null,
): string {
  const origin = item === null ? rootRunId : `item ${item.attempt} ${item.itemId}`;
  return generatedMessageId({ workflow, handler, rootRunId: origin, publishIndex });
}

export function whyPublishingIsWrong(
  draft: Draft,
  run: RunRow,
  command: { readonly inputs: readonly NewInput[]; readonly publishes: readonly PublishedEvent[] },
): Refusal | null {
  const handler = draft.view.load("handlers", run.handler);
  const { inputs, publishes } = command;
  const tooMany = admitSize(
    "published events",
    publishes.length,
    draft.view.policy.eventsPerCommitMax,
  );
  const tooManyInputs = admitSize(
    "registered inputs",
    inputs.length,
    draft.view.policy.eventsPerCommitMax,
  );
  const bytes = publishes.reduce((sum, { payload }) => sum + payload.length, 0);
  const tooLarge = admitSize("published bytes", bytes, draft.view.policy.commitBytesMax);
  if (tooMany || tooManyInputs || tooLarge) return tooMany ?? tooManyInputs ?? tooLarge;
  if (run.kind === "consumer" && inputs.length > 0) return refuse("input_not_allowed");
  const registered = new Set(inputs.map(inputIdOf));
  for (const { topic, inputId } of publishes) {
    if (handler.publishes !== null && !handler.publishes.includes(topic)) {
      return refuse("topic_not_publishable", `${handler.name} may not publish to ${topic}.`);
    }
    if (run.kind === "consumer" && inputId !== null) return refuse("input_not_allowed");
    const known = inputId === null || registered.has(inputId);
    if (!known && !draft.view.find("inputs", inputId)) {
      return refuse("input_not_found", `No input ${inputId} is registered.`);
    }
  }
  return null;
}

/** With messageIds made and causes attached, in the order the script published them. */
export function publicationsOf(
  draft: Draft,
  run: RunRow,
  publishes: readonly PublishedEvent[],
  item: PublishedIn | null,
): RunPublication[] {
  const inherited = inheritedCauses(draft.view, run);
  return publishes.map(({ topic, messageId: given, payload, title, inputId }, index) => {
    const messageId = given ?? messageIdOf(draft.view.workflow, run, index, item);
    const input =
      inherited || inputId !== null ? null : impliedInput(topic, messageId, title ?? messageId);
    const causedBy = inputId === null && inherited ? inherited : causesOf(inputId, input);
    const event = { topic, messageId, payload, title, createdBy: run.runId, causedBy };
    return { event, input };
  });
}

function causesOf(inputId: string | null, implied: NewInput | null): string[] {
  const cause = inputId ?? (implied && inputIdOf(implied));
  invariant(cause, "an event of a producer has an input");
  return [cause];
}

/** A producer that names no input still leaves a trace of where the event came from. */
export function impliedInput(topic: string, messageId: string, title: string): NewInput {
  return { source: "system", type: "event", externalId: eventName({ topic, messageId }), title };
}

/** Of a consumer always, of a job if an event started it; null = each event has its own. */
function inheritedCauses(view: View, run: RunRow): string[] | null {
  const held = heldEvents(view, run.runId);
  if (run.kind !== "consumer" && held.length === 0) return null;
  const causes = held.flatMap((event) => event.causedBy);
  return [...new Set(causes)].sort();
}
