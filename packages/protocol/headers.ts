/** The same key with the same request is the same command. */
export const idempotencyHeader = "idempotency-key";
/** How long to wait for the verdict, in milliseconds. */
export const waitHeader = "holdfast-wait-ms";

/** Whatever it says: no other page can make a browser send it. */
export const pageHeader = "holdfast-page";
