import type { Hash } from "../canonical/index.ts";
import type { ReceiptStatus } from "./effect.ts";
import type { MachineSet } from "./machine-set.ts";
import type { RefitState } from "./refit-state.ts";
import type { Refused } from "./refused.ts";
import type { Signature } from "./signature.ts";

/** Everything that can come from outside. None of it opens an intent: only steps do. */
export type Input =
  | ManifestInput
  | EventInput
  | DirectInput
  | ReceiptInput
  | FrameInput
  | CancelInput
  | RestartInput
  | SnapshotInput;

/** Another version of the workflow, from here on. The first record of every journal is one. */
export type ManifestInput = {
  readonly kind: "manifest";
  readonly set: MachineSet;
  /** Null = it was activated: no machine is another than before. */
  readonly applied?: Applied | null;
};

/** A proposal that changes machines: taken only while nothing is under way. */
export type Applied = {
  readonly proposal: number;
  /** Of cells whose state the version writes otherwise; the others keep theirs. */
  readonly states: readonly RefitState[];
  /** Whether they are kept beside the record, because they are many; absent = they are in it. */
  readonly isApart?: boolean;
};

/** An event of a topic, for every machine that subscribes to it. */
export type EventInput = {
  readonly kind: "event";
  readonly topic: string;
  readonly value: Uint8Array;
  readonly key: Uint8Array | null; // null = taken from the event alone
  readonly messageId: string | null;
  /** From before a restore; absent = it is not. Said for `OlderCells`, and not recorded. */
  readonly older?: boolean;
};

/** An event for one cell, in the schema of its machine. */
export type DirectInput = {
  readonly kind: "direct";
  readonly machine: string;
  readonly key: Uint8Array | null; // null = the machine has one cell
  readonly value: Uint8Array;
  readonly older?: boolean; // as of an event of a topic
};

/** The one terminal outcome of an intent, as its executor signed it. */
export type ReceiptInput = {
  readonly kind: "receipt";
  readonly intentHash: Uint8Array;
  readonly status: ReceiptStatus;
  readonly payload: Uint8Array;
  readonly costCents: bigint | null;
  readonly moduleHash: Hash; // of the code that did it, which may be newer than the intent
  readonly signature: Signature;
};

/** Progress of an open intent; settles nothing. */
export type FrameInput = {
  readonly kind: "frame";
  readonly intentHash: Uint8Array;
  readonly identity: FrameIdentity;
  readonly seq: number; // from 1
  readonly frameKind: string;
  readonly payload: Uint8Array;
  readonly payloadRef: Hash | null;
  readonly signature: Signature;
};

export type FrameIdentity = {
  readonly machine: string;
  readonly machineHash: Hash;
  readonly key: Uint8Array | null;
  readonly effect: string;
  readonly effectHash: Hash;
  readonly module: string;
  readonly moduleHash: Hash;
  readonly entrypoint: string;
  readonly emittedAtSeq: number;
};

/** A wish: what is unsent is withdrawn, what was sent is settled by its outcome. */
export type CancelInput = {
  readonly kind: "cancel";
  readonly intentHash: Uint8Array;
  readonly actor: string;
};

/** A person lets a failed instance go on, with the event that failed it or without. */
export type RestartInput = {
  readonly kind: "restart";
  readonly machine: string;
  readonly key: Uint8Array | null;
  readonly poison: "redeliver" | "drop";
  readonly actor: string;
};

/** Somebody asked for one; whoever keeps the frame takes it. */
export type SnapshotInput = { readonly kind: "snapshot"; readonly actor: string };

export type Admission = Admitted | Refused;

/** `seq` is of the input's own record; `outcome` says what became of it. */
export type Admitted = {
  readonly ok: true;
  readonly seq: number;
  readonly outcome: "taken" | "ignored" | "dropped" | "rejected" | "turned_away";
};
