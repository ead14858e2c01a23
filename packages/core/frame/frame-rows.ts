import type { Payload } from "../view/payload.ts";
import type { Seq } from "../view/rows.ts";

/** Something for the machines that no frame has taken in yet. */
export type MachineInputRow = {
  /** Seq of the fact that brought it: they are served in this order. */
  position: Seq;
  kind: MachineInputKind;
  /** Canonical bytes of what it says, by its kind. */
  body: Payload;
};

/**
 * What machines made of an event of a topic: the run of an intent that it led to, or the question
 * about a cell that stopped with it, or with something that came of it. Kept for good.
 */
export type EventUseRow = {
  topic: string;
  messageId: string;
  /** Id of the run or of the question. */
  usedBy: string;
};

export type MachineInputKind =
  | "manifest"
  | "event"
  | "direct"
  | "cancel"
  | "restart"
  | "outcome"
  | "snapshot";

/** A cell that is from before a restore and has stepped since, or that came of something older. */
export type OlderCellRow = {
  /** Hash of its machine and key. */
  mark: string;
};

/** Records of the machines' kernel that became durable together. */
export type MachineFrameRow = {
  /** Number of its first record; the kernel counts them by itself. */
  firstSeq: number;
  lastSeq: number;
  /** Of the fact that holds it. */
  seq: Seq;
  /** Canonical bytes: the records, and the public keys that came with them. */
  body: Payload;
  /** The whole kernel after this frame; null = none was kept here. */
  snapshot: Payload | null;
};
