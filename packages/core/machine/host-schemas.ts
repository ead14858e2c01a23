import { type CompiledSchema, compileSchema, type Schema } from "../canonical/index.ts";

/** The schemas of what the kernel itself delivers to a step. */
export const receiptSchemaName = "sys/EffectReceiptEnvelope@1";
export const rejectedSchemaName = "sys/EffectReceiptRejected@1";
export const frameSchemaName = "sys/EffectStreamFrame@1";

const text: Schema = { type: "text" };
const nat: Schema = { type: "nat" };
const bytes: Schema = { type: "bytes" };
const hash: Schema = { type: "hash" };
const time: Schema = { type: "time" };
const option = (inner: Schema): Schema => ({ type: "option", inner });

const identity = {
  origin_module_id: text,
  origin_workflow_hash: option(hash),
  origin_instance_key: option(bytes),
  intent_id: hash,
  effect: text,
  effect_hash: option(hash),
  executor_module: option(text),
  executor_module_hash: option(hash),
  executor_entrypoint: option(text),
  params_hash: option(hash),
  issuer_ref: option(text),
  emitted_at_seq: nat,
};

const receiptSchema: Schema = {
  type: "record",
  fields: {
    ...identity,
    receipt_payload: bytes,
    status: text,
    cost_cents: option(nat),
    signature: bytes,
  },
};

const rejectedSchema: Schema = {
  type: "record",
  fields: {
    ...identity,
    status: text,
    error_code: text,
    error_message: text,
    payload_hash: hash,
    payload_size: nat,
  },
};

const frameSchema: Schema = {
  type: "record",
  fields: {
    ...identity,
    seq: nat,
    kind: text,
    payload: bytes,
    payload_ref: option(hash),
    signature: bytes,
  },
};

export const hostSchemas: ReadonlyMap<string, Schema> = new Map([
  [receiptSchemaName, receiptSchema],
  [rejectedSchemaName, rejectedSchema],
  [frameSchemaName, frameSchema],
]);

/** `sys/WorkflowContext@1`: what a step that declares it knows of its moment. */
export const contextSchema: CompiledSchema = compileSchema({
  type: "record",
  fields: {
    now_ns: time,
    logical_now_ns: time,
    journal_height: nat,
    entropy: bytes,
    event_hash: hash,
    manifest_hash: hash,
    workflow: text,
    workflow_hash: option(hash),
    key: option(bytes),
    cell_mode: { type: "bool" },
  },
});

/** What every effect's error says at least; the host must be able to say it of any effect. */
export const errorSchema: Schema = { type: "record", fields: { code: text, message: text } };
