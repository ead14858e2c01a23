/** Who asks, in words that a person reading the journal understands. */
export const actorHeader = "holdfast-actor";
/** The same key with the same request is the same command. */
export const idempotencyHeader = "idempotency-key";
/** How long to wait for the verdict, in milliseconds. */
export const waitHeader = "holdfast-wait-ms";
