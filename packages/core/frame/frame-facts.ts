import type { EventRef } from "../topic/topic-facts.ts";
import type { Payload } from "../view/payload.ts";
import type { Instant, Seq } from "../view/rows.ts";
import type { MachineInputKind } from "./frame-rows.ts";

/** Something for the machines, to be served in its turn. */
export type MachineInputReceived = {
  readonly kind: "machine_input_received";
  readonly inputKind: MachineInputKind;
  /** Canonical bytes, by kind: see `machine-input.ts`. */
  readonly body: Payload;
};

/** Inputs were served: what came of it is in the frame, whole. */
export type MachineFrameCommitted = {
  readonly kind: "machine_frame_committed";
  /** Null = nothing was recorded, because everything was refused. */
  readonly frame: {
    readonly firstSeq: number;
    readonly lastSeq: number;
    readonly body: Payload;
    readonly snapshot: Payload | null;
  } | null;
  /** Positions of the inputs that were served, in order. */
  readonly served: readonly Seq[];
  /** Of these, what the kernel would not take, and why. */
  readonly refused: readonly { readonly position: Seq; readonly code: string }[];
  readonly dueAt: Instant | null;
  /** Nothing was served: this many turns in a row were begun after a death. Absent = none is. */
  readonly begun?: number;
  /** Absent = the store was never restored, or these are as they were. */
  readonly older?: OlderMarks;
};

/** Which cells are from before a restore, as far as a step was given to them since. */
export type OlderMarks = {
  /** Number of the last record from before the restore point. */
  readonly through: number;
  readonly added: readonly string[];
  readonly removed: readonly string[];
};

/** A cell that has stopped holds these, or what came of them, until a person has answered. */
export type CellHoldsEvents = {
  readonly kind: "cell_holds_events";
  readonly attentionId: string;
  /** Those that it was not known to hold before. */
  readonly events: readonly EventRef[];
};

export type FrameFact = MachineInputReceived | MachineFrameCommitted | CellHoldsEvents;
