import { type Draft, type Rule, refuse } from "../journal/decision.ts";
import type { Refusal } from "../journal/refusal.ts";
import { admitId, admitSize } from "../policy/admit.ts";
import { isUtf8 } from "../policy/sound-text.ts";
import { pinPayload } from "../view/payload.ts";
import type { DeliveryRow, HandlerRow } from "../view/rows.ts";
import { inputIdOf } from "./input-id.ts";
import { registerInput } from "./publish.ts";

export type ReceiveDelivery = {
  readonly kind: "receive_delivery";
  readonly handler: string;
  /** As the sender names it: the same id is the same delivery, however often it comes. */
  readonly deliveryId: string;
  /** As it came; text in UTF-8. */
  readonly body: Uint8Array;
  readonly title: string | null;
  readonly actor: string;
};

export function deliveryInput({ handler, deliveryId }: ReceiveDelivery) {
  return { source: "webhook", type: handler, externalId: deliveryId };
}

/** Kept as an input and as it came; a run of the handler is due until it has taken it. */
export const receiveDelivery: Rule<ReceiveDelivery> = (draft, command) => {
  const handler = draft.view.find("handlers", command.handler);
  const bad = whyNotReceivable(draft, handler, command);
  if (bad || !handler) return bad;
  const inputId = inputIdOf(deliveryInput(command));
  const known = draft.view.find("deliveries", inputId);
  if (known) {
    draft.note = noteOfDuplicate(known, command.body);
    return null;
  }
  const waitingCount = handler.waitingCount + 1;
  const { deliveriesWaitingMax } = draft.view.policy;
  const tooMany = admitSize("waiting deliveries", waitingCount, deliveriesWaitingMax);
  if (tooMany) return tooMany;
  const title = command.title ?? `${handler.name} ${command.deliveryId}`;
  const refused = registerInput(draft, { ...deliveryInput(command), title });
  if (refused) return refused;
  const { payload: body, blob } = pinPayload(command.body);
  draft.store(blob);
  const { deliveryId } = command;
  const delivery = { inputId, handler: handler.name, deliveryId, body, waitingCount };
  draft.emit({ kind: "delivery_received", ...delivery });
  draft.note = `received as input ${inputId}`;
  return null;
};

function whyNotReceivable(
  draft: Draft,
  handler: HandlerRow | null,
  { deliveryId, body }: ReceiveDelivery,
): Refusal | null {
  const workflow = draft.view.find("workflows");
  if (!workflow) return refuse("workflow_not_created");
  if (workflow.status === "archived") return refuse("workflow_is_archived");
  if (!handler) return refuse("handler_not_found");
  if (!handler.declared) return refuse("handler_not_declared");
  if (!handler.webhook) return refuse("handler_not_webhook");
  const { policy } = draft.view;
  const bad =
    admitId(policy, "delivery id", deliveryId) ??
    admitSize("body of a delivery in bytes", body.length, policy.deliveryBytesMax);
  if (bad) return bad;
  return isUtf8(body) ? null : refuse("delivery_not_text");
}

function noteOfDuplicate(known: DeliveryRow, body: Uint8Array): string {
  const same = pinPayload(body).payload.hash === known.body.hash;
  const rest = same ? "" : ", with another body, which was not kept";
  return `duplicate: received before as input ${known.inputId}${rest}`;
}
