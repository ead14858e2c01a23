import {
  type DeliveryRow,
  deliveriesPerRunMax,
  type EventRow,
  type HandlerRow,
  invariant,
  type JsonText,
  type RunReason,
  type RunRow,
  runReasons,
  type Store,
  type View,
} from "@holdfast/core";
import type { GuestReads } from "./guest-reads.ts";
import { bytesOf } from "./values.ts";

export type TriggerReason = RunReason | "retry";

/** Why a run was started, as its script sees it, and the deliveries it was given with it. */
export type Trigger = { readonly json: JsonText; readonly deliveries: readonly string[] };

type Parts = {
  readonly store: Pick<Store, "loadBlob">;
  readonly view: View;
  readonly row: HandlerRow;
  readonly reads: GuestReads;
  readonly reason: TriggerReason;
  readonly runId: string;
};

const reasons: ReadonlySet<string> = new Set(runReasons);

/** Of a run that exists. One that says no reason is being run again for none. */
export function reasonOf({ retryOf, trigger }: RunRow): TriggerReason {
  if (retryOf !== null || trigger === null || !reasons.has(trigger)) return "retry";
  return trigger as RunReason;
}

export async function triggerOf(parts: Parts): Promise<Trigger> {
  const { row, reason, view, reads } = parts;
  const head = JSON.stringify({ reason }).slice(0, -1);
  if (row.webhook) {
    const given = givenDeliveries(view, row);
    const shown = await Promise.all(given.map((delivery) => showDelivery(parts, delivery)));
    const deliveries = given.map(({ inputId }) => inputId);
    return { json: `${head},"deliveries":[${shown.join(",")}]}`, deliveries };
  }
  const event = eventOf(parts);
  if (event === null) return { json: `${head}}`, deliveries: [] };
  return { json: `${head},"event":${await reads.showOne(event)}}`, deliveries: [] };
}

/** The oldest ones, as many as fit: bodies may be large, and a script has little memory. */
function givenDeliveries(view: View, { name }: HandlerRow): readonly DeliveryRow[] {
  const waiting = [...view.rows("deliveries")]
    .filter(({ handler, status }) => handler === name && status === "waiting")
    .sort((a, b) => a.position - b.position)
    .slice(0, deliveriesPerRunMax);
  let bytes = 0;
  return waiting.filter(({ body }, index) => {
    bytes += body.size;
    return index === 0 || bytes <= view.policy.deliveryBytesMax;
  });
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

async function showDelivery({ store, view }: Parts, delivery: DeliveryRow): Promise<JsonText> {
  const { deliveryId: id, inputId, receivedAt } = delivery;
  const body = utf8.decode(await bytesOf(store, view.workflow, delivery.body));
  return JSON.stringify({ id, inputId, body, receivedAt: new Date(receivedAt).toISOString() });
}

/** A job is given the event it holds, or is about to; a consumer is shown the oldest one. */
function eventOf({ view, row, reason, runId }: Parts): EventRow | null {
  if (reason !== "event" && reason !== "retry") return null;
  if (row.kind === "job") {
    for (const event of view.rows("events")) if (event.reservedBy === runId) return event;
    if (reason === "retry") return null;
  }
  return oldestPending(view, row);
}

export function oldestPending(view: View, { subscribe }: HandlerRow): EventRow | null {
  invariant(view.has({ kind: "oldest_pending" }), "a handler begins with the oldest events loaded");
  let oldest: EventRow | null = null;
  for (const event of view.rows("events")) {
    if (event.status !== "pending" || !subscribe.includes(event.topic)) continue;
    if (oldest === null || event.position < oldest.position) oldest = event;
  }
  return oldest;
}
