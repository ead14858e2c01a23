import type { Store } from "@holdfast/core";
import { type Lap, lap } from "../harness/rounds.ts";
import { BenchWorkflow, topic } from "./bench-workflow.ts";

const peekLimit = 100;
const peeksPerTurn = 20;
/** Events one run takes while peeks go on, and as many are published again. */
const eventsPerRun = 10;

/** The one workflow of a store whose topic is peeked into. */
export const topicWorkflow = "orders";

/** A topic in a store of its own, so that a small one has small trees. */
export type Filled = { readonly store: Store; readonly orders: BenchWorkflow };

export async function fillTopic(store: Store): Promise<Filled> {
  return { store, orders: await BenchWorkflow.create(store, topicWorkflow) };
}

export async function consumeOldest({ store, orders }: Filled, count: number): Promise<void> {
  const { events, settledBelow } = await store.peek(topicWorkflow, topic, count);
  if (settledBelow !== null) orders.owner.noteSettled({ topic, position: settledBelow });
  await orders.consume(events.map(({ messageId }) => messageId));
}

export function peekAtRest({ store }: Filled): Promise<Lap> {
  return lap(peeksPerTurn, async () => {
    for (let count = 0; count < peeksPerTurn; count += 1) await peekOnce(store);
  });
}

async function peekOnce(store: Store) {
  const peek = await store.peek(topicWorkflow, topic, peekLimit);
  if (peek.events.length === peekLimit) return peek;
  throw new Error(`peek found ${peek.events.length} events instead of ${peekLimit}`);
}

/** Only the peeks are timed; what runs between them moves the pages that they read. */
export async function peekInUse({ store, orders }: Filled): Promise<Lap> {
  let ms = 0;
  for (let count = 0; count < peeksPerTurn; count += 1) {
    const startedAt = performance.now();
    const { events, settledBelow } = await peekOnce(store);
    ms += performance.now() - startedAt;
    if (settledBelow !== null) orders.owner.noteSettled({ topic, position: settledBelow });
    await orders.consume(events.slice(0, eventsPerRun).map(({ messageId }) => messageId));
    await orders.publish(eventsPerRun);
  }
  return { count: peeksPerTurn, ms };
}
