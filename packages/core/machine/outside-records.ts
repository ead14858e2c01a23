/** What came from outside, as the journal keeps it, and its way back to the kernel. */
import { type CanonicalValue, decodeCanonical, type Hash } from "../canonical/index.ts";
import { InvariantError } from "../ports/invariant.ts";
import { type ReceiptStatus, receiptStatuses } from "./effect.ts";
import { bool, bytes, list, nat, option, readerOf, record, text, time } from "./form.ts";
import { hashOfBytes } from "./hash-bytes.ts";
import type { Input } from "./input.ts";
import type { MachineSet } from "./machine-set.ts";
import { type KeptBytes, readKept } from "./out-of-line.ts";
import type { Given } from "./serve.ts";
import type { Signature } from "./signature.ts";
import type { Sample } from "./stamp.ts";

const stamp = record({
  now_ns: time,
  logical_now_ns: time,
  entropy: bytes,
  journal_height: nat,
  manifest_hash: bytes,
});
const cell = record({ machine: text, key: option(bytes) });
const pathStep = record({ side: text, hash: bytes });
const signature = record({ key_id: text, bytes, path: list(pathStep) });
const heading = { seq: nat, kind: text, outside: bool, cause: option(nat) };

const readManifest = readerOf(
  record({ ...heading, manifest_hash: bytes, module_version: text, stamp }),
);
const appliedForms = {
  ...heading,
  manifest_hash: bytes,
  module_version: text,
  proposal: nat,
  stamp,
};
const states = list(record({ machine: text, key: option(bytes), state: bytes }));
const readStates = readerOf(states);
const readApplied = readerOf(record({ ...appliedForms, states }));
const readShortApplied = readerOf(
  record({ ...appliedForms, states_ref: bytes, states_size: nat, states_sha256: bytes }),
);
const readEvent = readerOf(
  record({
    ...heading,
    topic: option(text),
    machine: option(text),
    message_id: option(text),
    ingress_key: option(bytes),
    value: bytes,
    targets: list(cell),
    depth: nat,
    from: option(cell),
    stamp,
  }),
);
const receiptForms = {
  ...heading,
  intent_hash: bytes,
  machine: text,
  key: option(bytes),
  status: text,
  cost_cents: option(nat),
  executor_module_hash: bytes,
  signature,
  accepted: option(bool),
  stamp,
};
const readReceipt = readerOf(record({ ...receiptForms, payload: bytes }));
const elsewhere = { payload_ref: bytes, payload_size: nat, payload_sha256: bytes };
const readShortReceipt = readerOf(record({ ...receiptForms, ...elsewhere }));
const identity = record({
  machine: text,
  machine_hash: bytes,
  key: option(bytes),
  effect: text,
  effect_hash: bytes,
  executor_module: text,
  executor_module_hash: bytes,
  executor_entrypoint: text,
  emitted_at_seq: nat,
});
const readFrame = readerOf(
  record({
    ...heading,
    intent_hash: bytes,
    identity,
    frame_seq: nat,
    frame_kind: text,
    payload: bytes,
    payload_ref: option(bytes),
    signature,
    stamp,
  }),
);
const readCancel = readerOf(
  record({ ...heading, intent_hash: bytes, machine: text, key: option(bytes), actor: text, stamp }),
);
const readRestart = readerOf(
  record({ ...heading, machine: text, key: option(bytes), poison: text, actor: text, stamp }),
);
const readSnapshotAsked = readerOf(record({ ...heading, actor: text, stamp }));
const readKilled = readerOf(
  record({ ...heading, machine: text, key: option(bytes), event_hash: bytes, reason: text }),
);

export type RecordHeading = {
  readonly seq: number;
  readonly kind: string;
  readonly outside: boolean;
  readonly whole: CanonicalValue;
};

/** What any record says of itself; null for bytes that are no record. Throws `CanonicalError`. */
export function readHeading(given: Uint8Array): RecordHeading | null {
  const value = decodeCanonical(given);
  if (typeof value !== "object" || value === null) return null;
  const { seq, kind, outside } = value as { readonly [name: string]: unknown };
  if (typeof seq !== "number" || typeof kind !== "string" || typeof outside !== "boolean") {
    return null;
  }
  return { seq, kind, outside, whole: value };
}

export type SetByHash = (manifestHash: Hash) => MachineSet;

/** The input and the sample that a record was made from. Throws for what no kernel wrote. */
export function readGiven(
  { kind, whole: given }: RecordHeading,
  { setOf, kept }: { readonly setOf: SetByHash; readonly kept: KeptBytes },
): Given {
  switch (kind) {
    case "manifest":
      return givenManifest(given, { setOf, kept });
    case "domain_event": {
      const fields = readEvent(given);
      return { input: eventOf(fields), sample: sampleOf(fields.stamp) };
    }
    case "effect_receipt":
      return givenReceipt(given, kept);
    case "stream_frame":
      return givenFrame(given);
    case "cancel": {
      const { intent_hash: intentHash, actor, stamp: at } = readCancel(given);
      return { input: { kind: "cancel", intentHash, actor }, sample: sampleOf(at) };
    }
    case "restart": {
      const { machine, key, poison, actor, stamp: at } = readRestart(given);
      const choice = poison === "drop" ? "drop" : "redeliver";
      const input = { kind: "restart", machine, key, poison: choice, actor } as const;
      return { input, sample: sampleOf(at) };
    }
    case "snapshot_asked": {
      const { actor, stamp: at } = readSnapshotAsked(given);
      return { input: { kind: "snapshot", actor }, sample: sampleOf(at) };
    }
    default:
      throw new InvariantError(`no outside record is of kind ${kind}`);
  }
}

function wholeApplied(given: CanonicalValue, kept: KeptBytes) {
  if (!Object.hasOwn(given as object, "states_ref")) {
    return { ...readApplied(given), isApart: false };
  }
  const fields = readShortApplied(given);
  const { states_ref: ref, states_size: size, states_sha256: sha } = fields;
  const found = readKept(kept, { ref, size, sha });
  if (found === null) throw new BytesMissing();
  return { ...fields, states: readStates(decodeCanonical(found)), isApart: true };
}

/** Only one that was applied says what came of the states. */
function givenManifest(
  given: CanonicalValue,
  { setOf, kept }: { readonly setOf: SetByHash; readonly kept: KeptBytes },
): Given {
  if (!("proposal" in (given as object))) {
    const fields = readManifest(given);
    const set = setOf(hashOfBytes(fields.manifest_hash));
    return { input: { kind: "manifest", set }, sample: sampleOf(fields.stamp) };
  }
  const { proposal, manifest_hash: hash, stamp: at, ...rest } = wholeApplied(given, kept);
  const applied = { proposal: Number(proposal), states: rest.states, isApart: rest.isApart };
  const set = setOf(hashOfBytes(hash));
  return { input: { kind: "manifest", set, applied }, sample: sampleOf(at) };
}

export function readReason({ whole }: RecordHeading): string {
  return readKilled(whole).reason;
}

function sampleOf(given: { readonly now_ns: bigint; readonly entropy: Uint8Array }): Sample {
  return { nowNs: given.now_ns, entropy: given.entropy };
}

function eventOf(fields: ReturnType<typeof readEvent>): Input {
  const { topic, machine, value, ingress_key: key, message_id: messageId } = fields;
  if (topic !== null) return { kind: "event", topic, value, key, messageId };
  return { kind: "direct", machine: machine ?? "", value, key };
}

function wholeReceipt(given: CanonicalValue, kept: KeptBytes): ReturnType<typeof readReceipt> {
  if (!Object.hasOwn(given as object, "payload_ref")) return readReceipt(given);
  const fields = readShortReceipt(given);
  const { payload_ref: ref, payload_size: size, payload_sha256: sha } = fields;
  const payload = readKept(kept, { ref, size, sha });
  if (payload === null) throw new BytesMissing();
  return { ...fields, payload };
}

/** What a record names by its hash is not there, or is something else. */
export class BytesMissing extends Error {}

function givenReceipt(given: CanonicalValue, kept: KeptBytes): Given {
  const fields = wholeReceipt(given, kept);
  const input: Input = {
    kind: "receipt",
    intentHash: fields.intent_hash,
    status: statusOf(fields.status),
    payload: fields.payload,
    costCents: fields.cost_cents,
    moduleHash: hashOfBytes(fields.executor_module_hash),
    signature: signatureOf(fields.signature),
  };
  return { input, sample: sampleOf(fields.stamp) };
}

function statusOf(given: string): ReceiptStatus {
  const status = receiptStatuses.find((each) => each === given);
  if (status === undefined) throw new InvariantError(`no receipt has the status ${given}`);
  return status;
}

function givenFrame(given: CanonicalValue): Given {
  const fields = readFrame(given);
  const who = fields.identity;
  const input: Input = {
    kind: "frame",
    intentHash: fields.intent_hash,
    identity: {
      machine: who.machine,
      machineHash: hashOfBytes(who.machine_hash),
      key: who.key,
      effect: who.effect,
      effectHash: hashOfBytes(who.effect_hash),
      module: who.executor_module,
      moduleHash: hashOfBytes(who.executor_module_hash),
      entrypoint: who.executor_entrypoint,
      emittedAtSeq: Number(who.emitted_at_seq),
    },
    seq: Number(fields.frame_seq),
    frameKind: fields.frame_kind,
    payload: fields.payload,
    payloadRef: fields.payload_ref === null ? null : hashOfBytes(fields.payload_ref),
    signature: signatureOf(fields.signature),
  };
  return { input, sample: sampleOf(fields.stamp) };
}

type ReadSignature = ReturnType<typeof readReceipt>["signature"];

function signatureOf({ key_id: keyId, bytes: given, path }: ReadSignature): Signature {
  const steps = path.map(({ side, hash }) => {
    return { side: side === "left" ? "left" : "right", hash } as const;
  });
  return { keyId, bytes: given, path: steps };
}
