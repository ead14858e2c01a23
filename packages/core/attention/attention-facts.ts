import type { AttentionKind } from "./attention-kind.ts";

export type AttentionOpened = {
  readonly kind: "attention_opened";
  readonly attentionId: string;
  readonly attentionKind: AttentionKind;
  /** Those that make sense in this case. */
  readonly answers: readonly string[];
  readonly subject: string | null;
  readonly note: string;
};

export type AttentionClosed = {
  readonly kind: "attention_closed";
  readonly attentionId: string;
  readonly actor: string;
  readonly answer: string;
};

export type BrakeSet = {
  readonly kind: "brake_set";
  readonly operation: string;
  readonly reason: string;
  readonly actor: string;
};

export type BrakeReleased = {
  readonly kind: "brake_released";
  readonly operation: string;
  readonly actor: string;
};

export type AttentionFact = AttentionOpened | AttentionClosed | BrakeSet | BrakeReleased;
