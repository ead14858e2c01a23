import type { Payload } from "../view/payload.ts";

export type EventRef = { readonly topic: string; readonly messageId: string };

export type InputRegistered = {
  readonly kind: "input_registered";
  readonly inputId: string;
  readonly source: string;
  readonly type: string;
  readonly externalId: string;
  readonly title: string;
};
export type InputSkipped = {
  readonly kind: "input_skipped";
  readonly inputId: string;
  readonly actor: string;
};
export type InputReopened = {
  readonly kind: "input_reopened";
  readonly inputId: string;
  readonly actor: string;
};

export type DeliveryReceived = {
  readonly kind: "delivery_received";
  readonly inputId: string;
  readonly handler: string;
  readonly deliveryId: string;
  readonly body: Payload;
  /** Of the handler, this one included. */
  readonly waitingCount: number;
};
export type DeliverySkipped = {
  readonly kind: "delivery_skipped";
  readonly inputId: string;
  readonly handler: string;
  readonly waitingCount: number;
  readonly actor: string;
};

export type EventPublished = EventRef & {
  readonly kind: "event_published";
  readonly payload: Payload;
  readonly title: string | null;
  /** Run that published it; null = by hand. */
  readonly createdBy: string | null;
  readonly causedBy: readonly string[];
  /** Nobody here works the topic off: the event is born consumed. */
  readonly observed: boolean;
  /** Absent = it is new. */
  readonly older?: true;
};

/** Last write wins, but only while the event is pending. */
export type EventReplaced = EventRef & {
  readonly kind: "event_replaced";
  readonly payload: Payload;
  readonly title: string | null;
  readonly replacedBy: string | null;
  readonly causedBy: readonly string[];
  readonly newCauses: readonly string[];
  /** Absent = it is new. */
  readonly older?: true;
};

/** A republish that came after the event was reserved, consumed or skipped: noted, no more. */
export type RepublishNoted = EventRef & {
  readonly kind: "republish_noted";
  readonly payloadHash: string;
  readonly republishedBy: string | null;
  readonly causedBy: readonly string[];
  readonly newCauses: readonly string[];
  readonly lateCount: number;
};

export type EventSkipped = EventRef & { readonly kind: "event_skipped"; readonly actor: string };

export type EventReprocessed = EventRef & {
  readonly kind: "event_reprocessed";
  readonly attempt: number;
  readonly actor: string;
};

export type TopicReset = {
  readonly kind: "topic_reset";
  readonly topic: string;
  readonly actor: string;
};

export type TopicFact =
  | InputRegistered
  | InputSkipped
  | InputReopened
  | DeliveryReceived
  | DeliverySkipped
  | EventPublished
  | EventReplaced
  | RepublishNoted
  | EventSkipped
  | EventReprocessed
  | TopicReset;
