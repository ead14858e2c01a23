/** What comes back to a step for an effect it asked for; arms of the machine's event schema. */
import { type Schema, schema } from "./schema.ts";

/** The fields of every continuation that say what it answers. */
export type Answered = {
  readonly origin_module_id: string;
  readonly origin_workflow_hash: string | null;
  readonly origin_instance_key: Uint8Array | null;
  readonly intent_id: string;
  readonly effect: string;
  readonly effect_hash: string | null;
  readonly executor_module: string | null;
  readonly executor_module_hash: string | null;
  readonly executor_entrypoint: string | null;
  readonly params_hash: string | null;
  /** What the emission gave as `issuerRef`: its handle, if `emissions` made it. */
  readonly issuer_ref: string | null;
  readonly emitted_at_seq: number;
};

/** `timeout` comes for reads only: what became of a mutation is found out, or a person says it. */
export type ReceiptStatus = "ok" | "error" | "timeout" | "skipped";

export type Receipt<Payload = unknown> = Answered & {
  readonly status: ReceiptStatus;
  /** The result if `ok`; `code` and `message` at least if `error` or `timeout`; else null. */
  readonly payload: Payload;
  readonly receipt_payload: Uint8Array;
  readonly cost_cents: number | null;
  readonly signature: Uint8Array;
};

/** A receipt that did not fit its schema. The effect is settled; what it did, nobody can read. */
export type RejectedReceipt = Answered & {
  readonly status: ReceiptStatus;
  readonly error_code: "receipt.invalid_payload" | "receipt.delivery_failed";
  readonly error_message: string;
  readonly payload_hash: string;
  readonly payload_size: number;
};

/** Progress of an effect that is still open. */
export type StreamFrame = Answered & {
  readonly seq: number;
  readonly kind: string;
  /** What the connector said, and the same as bytes. */
  readonly value: unknown;
  readonly payload: Uint8Array;
  readonly payload_ref: string | null;
  readonly signature: Uint8Array;
};

const receipt = schema.ref<Schema<Receipt>>("sys/EffectReceiptEnvelope@1");
const rejected = schema.ref<Schema<RejectedReceipt>>("sys/EffectReceiptRejected@1");
const frame = schema.ref<Schema<StreamFrame>>("sys/EffectStreamFrame@1");

/** `event: schema.variant({ Placed: …, Receipt: continuation.receipt })` */
export const continuation = { receipt, rejected, frame } as const;
