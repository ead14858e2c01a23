import type { ProjectionsOf } from "../journal/projection.ts";
import { insertRow, type RowChange, updateRow } from "../view/row-change.ts";
import type { EventRef, TopicFact } from "./topic-facts.ts";

export const projectTopic: ProjectionsOf<TopicFact> = {
  input_registered: ({ inputId, source, type, externalId, title }, { at }) => [
    insertRow("inputs", {
      inputId,
      source,
      type,
      externalId,
      title,
      createdAt: at,
      skippedAt: null,
    }),
  ],
  input_skipped: (fact, { at }) => [updateRow("inputs", [fact.inputId], { skippedAt: at })],
  input_reopened: (fact) => [updateRow("inputs", [fact.inputId], { skippedAt: null })],
  delivery_received: ({ kind: _, waitingCount, ...delivery }, { seq, at }) => [
    insertRow("deliveries", {
      ...delivery,
      position: seq,
      status: "waiting",
      runId: null,
      receivedAt: at,
    }),
    updateRow("handlers", [delivery.handler], { waitingCount }),
  ],
  delivery_skipped: ({ inputId, handler, waitingCount }) => [
    updateRow("deliveries", [inputId], { status: "skipped" }),
    updateRow("handlers", [handler], { waitingCount }),
  ],
  event_published: (fact, { seq }) => [
    insertRow("events", {
      topic: fact.topic,
      messageId: fact.messageId,
      position: seq,
      revision: seq,
      status: fact.observed ? "consumed" : "pending",
      reservedBy: null,
      payload: fact.payload,
      title: fact.title,
      createdBy: fact.createdBy,
      causedBy: fact.causedBy,
      attempt: 1,
      deliveryCount: 0,
      lateCount: 0,
      older: fact.older ?? false,
    }),
    ...linkCauses(fact, fact.causedBy),
    ...(fact.observed ? [] : [becamePending(fact.topic, seq)]),
  ],
  event_replaced: (fact, { seq }) => [
    updateRow("events", [fact.topic, fact.messageId], {
      payload: fact.payload,
      title: fact.title,
      causedBy: fact.causedBy,
      older: fact.older ?? false,
      revision: seq,
    }),
    ...linkCauses(fact, fact.newCauses),
    becamePending(fact.topic, seq),
  ],
  republish_noted: (fact) => [
    updateRow("events", [fact.topic, fact.messageId], {
      causedBy: fact.causedBy,
      lateCount: fact.lateCount,
    }),
    ...linkCauses(fact, fact.newCauses),
  ],
  event_skipped: (fact, { seq }) => [
    updateRow("events", [fact.topic, fact.messageId], { status: "skipped", revision: seq }),
  ],
  event_reprocessed: (fact, { seq }) => [
    updateRow("events", [fact.topic, fact.messageId], {
      status: "pending",
      attempt: fact.attempt,
      revision: seq,
    }),
    becamePending(fact.topic, seq),
  ],
  topic_reset: (fact, { seq }) => [
    { op: "reopen_topic", topic: fact.topic, revision: seq },
    becamePending(fact.topic, seq),
  ],
};

function linkCauses(event: EventRef, inputIds: readonly string[]): RowChange[] {
  return inputIds.map((inputId) =>
    insertRow("event_inputs", { inputId, topic: event.topic, messageId: event.messageId }),
  );
}

/** What wakes a consumer: the topic has something newer than what it last looked through. */
export function becamePending(topic: string, seq: number): RowChange {
  return updateRow("topics", [topic], { lastPendingSeq: seq });
}
