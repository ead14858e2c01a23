import { type Rule, refuse } from "../journal/decision.ts";
import { eventName } from "./event-name.ts";
import { inputIdOf } from "./input-id.ts";
import { publish, registerInput } from "./publish.ts";

export type PublishEvent = {
  readonly kind: "publish_event";
  readonly topic: string;
  readonly messageId: string;
  readonly payload: Uint8Array;
  readonly title: string | null;
  readonly actor: string;
};

export function manualInput(command: PublishEvent) {
  const externalId = eventName(command);
  return { source: "system", type: "manual", externalId };
}

/** By hand: the input says that a person put it there. */
export const publishEvent: Rule<PublishEvent> = (draft, command) => {
  if (!draft.view.find("workflows")) return refuse("workflow_not_created");
  const { topic, messageId, payload, title, actor } = command;
  const input = manualInput(command);
  const bad = registerInput(draft, {
    ...input,
    title: `${title ?? messageId}, published by ${actor}`,
  });
  if (bad) return bad;
  const causedBy = [inputIdOf(input)];
  return publish(draft, { topic, messageId, payload, title, createdBy: null, causedBy });
};
