import { contentSha256, type Hash } from "../canonical/index.ts";

/** What one call of a step is given and may answer. Values are canonical bytes on both sides. */
export type StepCall = {
  readonly version: 1;
  readonly manifestHash: Hash; // of the version whose code it is
  readonly machine: string;
  readonly state: Uint8Array | null; // null = the cell is new
  readonly event: StepEvent;
  readonly ctx: Uint8Array | null; // null = the machine declares no context
  /** Of the event: what a clock in the step shows. */
  readonly nowNs: bigint;
  /** Of the event, so the same in every cell that gets it: see `seedOf`. */
  readonly entropy: Uint8Array;
};

/** For chance inside the step: of this cell and this event alone. */
export function seedOf({ entropy, machine, event }: StepCall): Uint8Array {
  return contentSha256([entropy, machine, event.key]);
}

export type StepEvent = {
  readonly schema: string;
  readonly value: Uint8Array;
  readonly key: Uint8Array | null; // null = the machine has one cell
};

export type StepOutput = {
  readonly state: Uint8Array | null; // null = the cell ends and is forgotten
  readonly events: readonly StepEmission[];
  readonly effects: readonly StepEffect[];
  readonly done: boolean; // the cell has ended and keeps its state
  readonly annotations: Uint8Array | null;
};

export type StepEmission = {
  readonly topic: string;
  readonly value: Uint8Array;
  readonly key: Uint8Array | null;
  readonly messageId: string | null;
};

export type StepEffect = {
  readonly effect: string;
  readonly params: Uint8Array;
  readonly requestedKey: Uint8Array | null;
  readonly issuerRef: string | null;
  readonly deadlineNs: bigint | null; // from the event's logical time on
};

/**
 * `fault`: the step failed by itself, and would again. `killed`: the outside ended it, by a clock
 * for example, so that only a record can say that it happened.
 */
export type StepAnswer =
  | { readonly kind: "output"; readonly output: StepOutput }
  | { readonly kind: "fault"; readonly code: GuestFault; readonly note: string }
  | { readonly kind: "killed"; readonly reason: string };

/** What a guest does by itself, every time. */
export type GuestFault = "step.threw" | "step.fuel" | "step.memory" | "step.output_unreadable";

export type StepFaultCode =
  | GuestFault
  | "step.too_many_effects"
  | "step.too_many_events"
  | "step.output_too_large"
  | "step.null_with_effects"
  | "step.state_invalid"
  | "step.annotations_invalid"
  | "step.cascade_too_deep"
  | "step.event_invalid"
  | "workflow.output_invalid"
  | "effect.op_unsupported"
  | "effect.params_invalid"
  | "effect.deadline_invalid";

/** Why an output was not taken, thrown and caught inside this folder. */
export class StepFault extends Error {
  readonly code: StepFaultCode;

  constructor(code: StepFaultCode, note: string) {
    super(note);
    this.code = code;
  }
}
