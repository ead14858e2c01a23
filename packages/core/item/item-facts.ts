import type { Payload } from "../view/payload.ts";

/** The job's run is in the item; nothing of it has been done yet. */
export type ItemEntered = {
  readonly kind: "item_entered";
  readonly runId: string;
  readonly itemId: string;
  readonly handler: string;
  readonly title: string;
  readonly attempt: number;
  /** new: met for the first time; again: as it was left; anew: a new attempt begins with it. */
  readonly how: "new" | "again" | "anew";
  /** Null = it stays as it is. */
  readonly status: "processing" | null;
  readonly older: boolean;
};

/** The run is in no item any more, and nothing is said of the one it was in. */
export type ItemLeft = { readonly kind: "item_left"; readonly runId: string };

export type ItemCompleted = {
  readonly kind: "item_completed";
  readonly runId: string;
  readonly itemId: string;
  readonly handler: string;
  /** There were crashes, and now there is progress. */
  readonly forgetsCrashes: boolean;
};

export type ItemFailed = { readonly kind: "item_failed"; readonly itemId: string };

/** A person is asked about the mutation. */
export type ItemQuestioned = {
  readonly kind: "item_questioned";
  readonly itemId: string;
  readonly mutationId: string;
};

/** To be worked on again: the same attempt once a question is answered, or a new one. */
export type ItemReopened = {
  readonly kind: "item_reopened";
  readonly itemId: string;
  readonly attempt: number;
  /** Null = it stays as it is. */
  readonly status: "processing" | null;
  readonly actor: string;
};

export type ItemSkipped = {
  readonly kind: "item_skipped";
  readonly itemId: string;
  readonly actor: string;
};

/** Every item of these jobs begins a new attempt when it is met again. */
export type ItemsFreshened = {
  readonly kind: "items_freshened";
  readonly handlers: readonly string[];
  readonly actor: string;
};

/** A later run asked for other bytes in the place of an applied mutation. */
export type PayloadQuestioned = {
  readonly kind: "payload_questioned";
  readonly mutationId: string;
  readonly proposed: Payload;
};

/** Other bytes count as those that were applied. */
export type PayloadAccepted = {
  readonly kind: "payload_accepted";
  readonly mutationId: string;
  readonly payloadHash: string;
  /** `host` = by the connector's comparison. */
  readonly actor: string;
};

export type ItemFact =
  | ItemEntered
  | ItemLeft
  | ItemCompleted
  | ItemFailed
  | ItemQuestioned
  | ItemReopened
  | ItemSkipped
  | ItemsFreshened
  | PayloadQuestioned
  | PayloadAccepted;
