/** What a frame orders, as commands of the change that keeps it. */
import type { CellNews, CoreCommand, MachinePublication } from "@holdfast/core";
import type { Publication } from "@holdfast/core/machine";
import { canceled } from "./receipts.ts";
import { shownKey } from "./show-records.ts";

export function publicationOf(order: Publication): MachinePublication[] {
  if (order.kind !== "event") return [];
  const { topic, messageId, value: payload } = order.event;
  const older = order.older ? { older: true } : {};
  return [{ topic, messageId: messageId ?? `machine-${order.seq}`, payload, ...older }];
}

/** What people are asked about, and no longer. */
export function cellNewsOf(order: Publication): CellNews[] {
  if (order.kind !== "stopped" && order.kind !== "restarted") return [];
  const { machine, key } = order.cell;
  const cell = { machine, key: key && Buffer.from(key).toString("hex") };
  if (order.kind === "restarted") {
    const { actor, poison: answer } = order.by;
    return [{ ...cell, news: "restarted", actor, answer }];
  }
  const shown = shownKey(key);
  const name = typeof shown === "string" ? shown : JSON.stringify(shown);
  const note = `${key === null ? machine : `${machine} ${name}`} stopped: ${order.why}`;
  return [{ ...cell, news: "stopped", note: note.slice(0, noteMax) }];
}

const noteMax = 1_000;

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
