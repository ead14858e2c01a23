import { type Rule, refuse } from "../journal/decision.ts";
import { eventsOfInput } from "./events-of-input.ts";
import { reprocess, whyNotReprocessable } from "./reprocess-event.ts";

export type ReprocessInput = {
  readonly kind: "reprocess_input";
  readonly inputId: string;
  readonly actor: string;
};

/** Everything the input caused, once more; refused as a whole while a run holds any of it. */
export const reprocessInput: Rule<ReprocessInput> = (draft, { inputId, actor }) => {
  const input = draft.view.find("inputs", inputId);
  if (!input) return refuse("input_not_found");
  const events = eventsOfInput(draft.view, inputId);
  const held = events.find((event) => event.reservedBy !== null);
  if (held) return refuse("event_is_reserved", `Run ${held.reservedBy} holds ${held.messageId}.`);
  const again = events.filter((event) => whyNotReprocessable(draft, event) === null);
  if (again.length === 0) return refuse("event_is_pending", "Nothing of the input is done yet.");
  if (input.skippedAt !== null) draft.emit({ kind: "input_reopened", inputId, actor });
  for (const event of again) reprocess(draft, event, actor);
  draft.note = `${again.length} of ${events.length} events will be processed again`;
  return null;
};
