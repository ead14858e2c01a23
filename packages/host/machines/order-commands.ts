/** What a frame orders, as commands of the change that keeps it. */
import type { CoreCommand, MachinePublication } from "@holdfast/core";
import type { Publication } from "@holdfast/core/machine";
import { canceled } from "./receipts.ts";

export function publicationOf(order: Publication): MachinePublication[] {
  if (order.kind !== "event") return [];
  const { topic, messageId, value: payload } = order.event;
  return [{ topic, messageId: messageId ?? `machine-${order.seq}`, payload }];
}

/** Of what is in the ledger; what is not there is not sent either. */
export function withdrawalOf(
  order: Publication,
  before: ReadonlySet<string>,
  left: readonly string[],
): CoreCommand[] {
  if (order.kind !== "cancel" && order.kind !== "withdraw") return [];
  const intentId = Buffer.from(order.intentHash).toString("hex");
  if (before.has(intentId) || left.includes(intentId)) return [];
  const note = order.kind === "cancel" ? canceled : "origin_gone";
  return [{ kind: "withdraw_intent", intentId, note }];
}
