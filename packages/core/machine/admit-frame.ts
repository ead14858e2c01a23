import { type CanonicalRecord, encodeCanonical } from "../canonical/index.ts";
import { signatureRecord } from "./admit-receipt.ts";
import { deliverEnvelope } from "./continuation.ts";
import { hashBytes } from "./hash-bytes.ts";
import { hex, sameBytes } from "./hex.ts";
import { frameSchemaName } from "./host-schemas.ts";
import type { Admission, FrameIdentity, FrameInput } from "./input.ts";
import { identityOf, type OpenIntent } from "./intent.ts";
import type { Kernel } from "./kernel.ts";
import { frameLeaf, judgeSignature } from "./signature.ts";
import { type Sample, type Stamp, stampRecord } from "./stamp.ts";

/** Frames are recorded even when nobody can have them: what was dropped, and why, is on record. */
export function admitFrame(kernel: Kernel, input: FrameInput, sample: Sample): Admission {
  const stamp = kernel.stampNext(sample);
  const seq = write(kernel, input, stamp);
  const intent = kernel.intents.get(hex(input.intentHash));
  if (intent === undefined) return drop(kernel, input, seq, "stream.unknown_intent");
  const fault = whyDropped(kernel, intent, input);
  if (fault !== null) return drop(kernel, input, seq, fault);
  const expected = intent.cursor + 1;
  if (input.seq > expected) {
    kernel.writeCustom("workflow.stream_gap", seq, {
      ...originOf(input),
      expected_seq: expected,
      observed_seq: input.seq,
    });
  }
  intent.cursor = input.seq;
  const isDelivered = deliverEnvelope(kernel, intent, { seq, stamp, depth: 0 }, frameSchemaName, {
    ...identityOf(intent),
    seq: input.seq,
    kind: input.frameKind,
    payload: input.payload,
    payload_ref: input.payloadRef,
    signature: input.signature.bytes,
  });
  if (!isDelivered) return drop(kernel, input, seq, "stream.not_taken");
  return { ok: true, seq, outcome: "taken" };
}

function whyDropped(kernel: Kernel, intent: OpenIntent, input: FrameInput): string | null {
  const recorded = encodeCanonical(identityRecord(frameIdentityOf(intent)));
  if (!sameBytes(recorded, encodeCanonical(identityRecord(input.identity)))) {
    return "stream.identity_mismatch";
  }
  const { intentHash, seq, frameKind: kind, payload, payloadRef, signature } = input;
  const { module } = intent.executor;
  const leaf = frameLeaf({ intentHash, seq, kind, payload, payloadRef, module });
  const verdict = judgeSignature(leaf, signature, { module, keys: kernel.keys });
  if (verdict !== "good") return `stream.${verdict}`;
  return seq <= intent.cursor ? "stream.non_monotonic" : null;
}

/** What the shell writes into a frame, whatever the executor said of itself. */
export function frameIdentityOf(intent: OpenIntent): FrameIdentity {
  const { machine, machineHash, key, effect, effectHash, executor, emittedAtSeq } = intent;
  return { machine, machineHash, key, effect, effectHash, ...executor, emittedAtSeq };
}

function identityRecord(identity: FrameIdentity): CanonicalRecord {
  return {
    machine: identity.machine,
    machine_hash: hashBytes(identity.machineHash),
    key: identity.key,
    effect: identity.effect,
    effect_hash: hashBytes(identity.effectHash),
    executor_module: identity.module,
    executor_module_hash: hashBytes(identity.moduleHash),
    executor_entrypoint: identity.entrypoint,
    emitted_at_seq: identity.emittedAtSeq,
  };
}

function drop(kernel: Kernel, input: FrameInput, seq: number, reason: string): Admission {
  kernel.writeCustom("workflow.stream_drop", seq, {
    ...originOf(input),
    observed_seq: input.seq,
    reason,
  });
  return { ok: true, seq, outcome: "dropped" };
}

function originOf({ identity: { machine, key }, intentHash }: FrameInput): CanonicalRecord {
  return { machine, key, intent_hash: intentHash };
}

function write(kernel: Kernel, input: FrameInput, stamp: Stamp): number {
  return kernel.write(
    { kind: "stream_frame", outside: true, cause: null },
    {
      intent_hash: input.intentHash,
      identity: identityRecord(input.identity),
      frame_seq: input.seq,
      frame_kind: input.frameKind,
      payload: input.payload,
      payload_ref: input.payloadRef === null ? null : hashBytes(input.payloadRef),
      signature: signatureRecord(input.signature),
      stamp: stampRecord(stamp),
    },
  );
}
