import { type CanonicalRecord, contentSha256, type Hash } from "../canonical/index.ts";
import type { EffectKind, Executor } from "./effect.ts";
import { hashBytes, hashOfBytes, rareHashBytes } from "./hash-bytes.ts";

/** Who asked: the machine, its cell and the event that was being handled. */
export type Origin = {
  readonly machine: string;
  readonly machineHash: Hash;
  readonly key: Uint8Array | null; // null = the machine has one cell
  readonly emittedAtSeq: number;
};

/** An effect that was asked for and is not settled. */
export type OpenIntent = Origin & {
  readonly hash: Uint8Array;
  readonly id: string; // the hash in hex
  readonly cellId: string;
  readonly effect: string;
  readonly effectHash: Hash;
  readonly kind: EffectKind;
  readonly executor: Executor;
  readonly params: Uint8Array;
  readonly paramsHash: Hash;
  readonly idempotencyKey: Uint8Array;
  readonly requestedKey: Uint8Array | null; // null = none asked for
  readonly issuerRef: string | null; // comes back in every continuation, unchanged
  readonly effectIndex: number;
  readonly deadlineNs: bigint | null; // null = the host's own limits
  root: number | null; // of the event that was being handled; null = it is not known
  cursor: number; // last frame that was taken
  cancelAsked: boolean;
};

export type KeyParts = Origin & {
  readonly effect: string;
  readonly effectHash: Hash;
  readonly requestedKey: Uint8Array | null;
  readonly effectIndex: number;
};

const nothing = new Uint8Array();

/** The place in history an effect was asked for from; two places never share a key. */
export function deriveIdempotencyKey(parts: KeyParts): Uint8Array {
  return contentSha256({
    origin_workflow: parts.machine,
    origin_workflow_hash: parts.machineHash,
    origin_instance_key: parts.key ?? nothing,
    effect: parts.effect,
    effect_hash: parts.effectHash,
    requested_idempotency_key: parts.requestedKey ?? nothing,
    effect_index: parts.effectIndex,
    emitted_at_seq: parts.emittedAtSeq,
  });
}

const keyByteCount = 32;

/**
 * The key of an intent that the system asks for, and no machine: the given one as it is. There is
 * no place in history that would tell two of them apart, so nothing is derived.
 */
export function systemIdempotencyKey(
  given: Uint8Array | null, // null = it asks for none
): { ok: true; key: Uint8Array } | { ok: false; code: "idempotency.invalid" } {
  const key = given ?? new Uint8Array(keyByteCount);
  return key.length === keyByteCount
    ? { ok: true, key }
    : { ok: false, code: "idempotency.invalid" };
}

export type IntentParts = {
  readonly effect: string;
  readonly effectHash: Hash;
  readonly executor: Executor;
  readonly params: Uint8Array;
  readonly idempotencyKey: Uint8Array;
};

export function deriveIntentHash(parts: IntentParts): Uint8Array {
  const { effect, effectHash, executor, params, idempotencyKey } = parts;
  return contentSha256({
    effect,
    effect_hash: effectHash,
    executor_module: executor.module,
    executor_module_hash: executor.moduleHash,
    executor_entrypoint: executor.entrypoint,
    params,
    idempotency_key: idempotencyKey,
  });
}

/** The fields of every continuation that say whose it is. */
export function identityOf(intent: OpenIntent): CanonicalRecord {
  return {
    origin_module_id: intent.machine,
    origin_workflow_hash: intent.machineHash,
    origin_instance_key: intent.key,
    intent_id: hashOfBytes(intent.hash),
    effect: intent.effect,
    effect_hash: intent.effectHash,
    executor_module: intent.executor.module,
    executor_module_hash: intent.executor.moduleHash,
    executor_entrypoint: intent.executor.entrypoint,
    params_hash: intent.paramsHash,
    issuer_ref: intent.issuerRef,
    emitted_at_seq: intent.emittedAtSeq,
  };
}

/** The journal's form of an intent; its params may stand elsewhere. */
export function intentRecord(
  intent: OpenIntent,
  params: CanonicalRecord = { params: intent.params },
): CanonicalRecord {
  return {
    intent_hash: intent.hash,
    machine: intent.machine,
    machine_hash: hashBytes(intent.machineHash),
    key: intent.key,
    effect: intent.effect,
    effect_hash: hashBytes(intent.effectHash),
    effect_kind: intent.kind,
    executor_module: intent.executor.module,
    executor_module_hash: hashBytes(intent.executor.moduleHash),
    executor_entrypoint: intent.executor.entrypoint,
    ...params,
    params_hash: rareHashBytes(intent.paramsHash),
    idempotency_key: intent.idempotencyKey,
    requested_key: intent.requestedKey,
    issuer_ref: intent.issuerRef,
    effect_index: intent.effectIndex,
    emitted_at_seq: intent.emittedAtSeq,
    deadline_ns: intent.deadlineNs,
  };
}
