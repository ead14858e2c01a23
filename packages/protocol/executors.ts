import { z } from "zod";
import { said } from "./shapes.ts";

/** Longest that one request waits for work. */
const waitMsMax = 30_000;

export const takeRequest = z.strictObject({
  /** How long to wait for work where there is none. */
  waitMs: z.int().min(0).max(waitMsMax).default(0),
});

const word = z.string().min(1).max(200);

/** One call, handed out once. What is signed of it: docs/machines.md. */
const remoteWork = said({
  handout: z.string(),
  /** Of the store; it is said again with the receipt. */
  store: z.string(),
  workflow: z.string(),
  intent: z.string(),
  kind: z.enum(["read", "mutation"]),
  executor: said({ module: z.string(), moduleHash: z.string(), entrypoint: z.string() }),
  account: z.string(),
  operation: z.string(),
  params: z.unknown(),
  key: z.string().nullable(),
  /** From when it was taken; what comes later is a late answer. */
  answerWithinMs: z.int(),
});

export const takeAnswer = said({ work: remoteWork.nullable() });
export type TakeAnswer = z.infer<typeof takeAnswer>;

const receiptHeading = {
  handout: word,
  store: word,
  workflow: word,
  intent: z.string().regex(/^[0-9a-f]{64}$/),
  moduleHash: word,
  keyId: word,
  /** Base64 of the 64 bytes. */
  signature: z.base64().length(88),
};

export const receiptRequest = z.discriminatedUnion("status", [
  z.strictObject({ ...receiptHeading, status: z.literal("ok"), result: z.json() }),
  z.strictObject({
    ...receiptHeading,
    /** There is proof that nothing was done. */
    status: z.literal("error"),
    class: z.enum(["transient", "logic", "auth", "permission", "precondition"]),
    message: z.string().max(2_000),
  }),
]);
export type ReceiptRequest = z.output<typeof receiptRequest>;

/** `received` = not durable yet, say it again; `settled` = in the ledger; `late` = kept with it. */
export const receiptAnswer = said({ outcome: z.enum(["received", "settled", "late"]) });
export type ReceiptAnswer = z.infer<typeof receiptAnswer>;
