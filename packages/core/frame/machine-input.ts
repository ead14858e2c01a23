import { encodeCanonical } from "../canonical/index.ts";
import type { Draft } from "../journal/decision.ts";
import { type Payload, pinPayload } from "../view/payload.ts";

/** What waits for the machines, as its body says it. */
export type MachineInput =
  /** Another version of the workflow is active. */
  | { readonly kind: "manifest"; readonly scriptHash: string }
  | {
      readonly kind: "event";
      readonly topic: string;
      readonly messageId: string;
      readonly value: Uint8Array;
      /** It may have been published in a time that is forgotten; absent = it is new. */
      readonly older?: true;
      /** Inputs that it came of; absent = of none, or nobody had noted it. */
      readonly causedBy?: readonly string[];
    }
  | {
      readonly kind: "direct";
      readonly machine: string;
      readonly key: Uint8Array | null;
      readonly value: Uint8Array;
    }
  | { readonly kind: "cancel"; readonly intentId: string; readonly actor: string }
  | {
      readonly kind: "restart";
      readonly machine: string;
      readonly key: Uint8Array | null;
      readonly poison: "redeliver" | "drop";
      readonly actor: string;
    }
  /** The frame that takes it in is to have a snapshot with it. */
  | { readonly kind: "snapshot"; readonly actor: string }
  | IntentOutcome;

/** An executor's own signature over what it says came of an intent, by which of its keys. */
export type SignedWord = { readonly keyId: string; readonly bytes: Uint8Array };

/** What the ledger says of an intent: by its row, or, where it got none, in words. */
export type IntentOutcome = {
  readonly kind: "outcome";
  readonly intentId: string;
  readonly mutationId: string | null;
  readonly failure: { readonly code: string; readonly message: string } | null;
  /** Absent = it was not executed elsewhere, or is somebody else's word. */
  readonly signed?: SignedWord;
};

/** Its bytes, kept with the change. */
export function pinInput(draft: Draft, { kind, ...body }: MachineInput): Payload {
  const { payload, blob } = pinPayload(encodeCanonical({ kind, ...body }));
  draft.store(blob);
  return payload;
}

/** It is served in its turn, in the order of these facts. */
export function receiveInput(draft: Draft, input: MachineInput): void {
  const body = pinInput(draft, input);
  draft.emit({ kind: "machine_input_received", inputKind: input.kind, body });
}
