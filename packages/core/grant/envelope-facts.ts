import type { Payload } from "../view/payload.ts";

/** From here on these grants, and no others, say what the workflow may do outside. */
export type EnvelopeSet = {
  readonly kind: "envelope_set";
  readonly number: number;
  /** Canonical bytes of the list. */
  readonly grants: Payload;
  readonly actor: string;
};

export type EnvelopeFact = EnvelopeSet;
