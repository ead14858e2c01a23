import { type CanonicalRecord, type CanonicalValue, hashText, sha256 } from "../canonical/index.ts";
import { canonicalize, canonicalizeValue } from "./canonicalize.ts";
import { payloadSchema, type ReceiptStatus } from "./effect.ts";
import { wrapFor } from "./event-shape.ts";
import { receiptSchemaName, rejectedSchemaName } from "./host-schemas.ts";
import { identityOf, type OpenIntent } from "./intent.ts";
import type { Kernel } from "./kernel.ts";
import type { Stamp } from "./stamp.ts";

/** What an outcome says, whoever said it. */
export type Outcome = {
  readonly status: ReceiptStatus;
  readonly payload: Uint8Array;
  readonly costCents: bigint | null;
  readonly signature: Uint8Array;
};

/** Where in the journal it stands: the record and its stamp, and how deep in a cascade. */
export type Place = { readonly seq: number; readonly stamp: Stamp; readonly depth: number };

/** The sentences that enter records; what exactly was wrong is in the notes. */
const faultSentences = {
  "receipt.invalid_payload": "the payload does not fit the schema of the effect",
  "receipt.delivery_failed": "the event schema of the machine has no place for the receipt",
} as const;
type FaultCode = keyof typeof faultSentences;

/** Settles an intent and brings its outcome to the cell that asked: as a receipt, if it can. */
export function deliverOutcome(
  kernel: Kernel,
  intent: OpenIntent,
  outcome: Outcome,
  place: Place,
): "taken" | "rejected" {
  kernel.settle(intent);
  const payload = readPayload(kernel, intent, outcome);
  if (!payload.ok) {
    return deliverFault(kernel, intent, outcome, place, "receipt.invalid_payload", payload.note);
  }
  const isDelivered = deliverEnvelope(kernel, intent, place, receiptSchemaName, {
    ...identityOf(intent),
    receipt_payload: payload.bytes,
    status: outcome.status,
    cost_cents: outcome.costCents,
    signature: outcome.signature,
  });
  if (isDelivered) return "taken";
  return deliverFault(kernel, intent, outcome, place, "receipt.delivery_failed", "");
}

/** By the schema that is active now: a payload that no longer fits is a fault like any other. */
function readPayload(kernel: Kernel, intent: OpenIntent, { status, payload }: Outcome) {
  const effect = kernel.set.effects.get(intent.effect);
  if (effect === undefined) return { ok: false, note: `${intent.effect} is gone` } as const;
  return canonicalize(payloadSchema(effect, status), payload);
}

/** False when the machine's event schema does not take it; nothing has then changed. */
export function deliverEnvelope(
  kernel: Kernel,
  intent: OpenIntent,
  place: Place,
  schemaName: string,
  envelope: CanonicalRecord,
): boolean {
  const machine = kernel.set.machines.get(intent.machine);
  if (machine === undefined) return false;
  const wrapped = wrapFor(machine.event, schemaName, envelope as CanonicalValue);
  if (!wrapped.fits) return false;
  const delivered = canonicalizeValue(machine.event.compiled, wrapped.value);
  if (!delivered.ok) return false;
  kernel.deliver(kernel.cellFor(intent.machine, intent.key), {
    value: delivered.bytes,
    stamp: place.stamp,
    depth: place.depth,
    intentId: intent.id,
    root: intent.root,
  });
  return true;
}

/** A receipt that the step cannot have: it gets the news of it, or its instance fails. */
function deliverFault(
  kernel: Kernel,
  intent: OpenIntent,
  { status, payload }: Outcome,
  place: Place,
  code: FaultCode,
  note: string,
): "rejected" {
  const rejection = {
    ...identityOf(intent),
    status,
    error_code: code,
    error_message: faultSentences[code],
    payload_hash: hashText(payload),
    payload_size: payload.length,
  };
  const isTold = deliverEnvelope(kernel, intent, place, rejectedSchemaName, rejection);
  const faultSeq = kernel.seq + 1;
  const dropped = isTold ? [] : failCell(kernel, intent, faultSeq);
  kernel.note(faultSeq, code, note);
  kernel.writeCustom("workflow.receipt_fault", place.seq, {
    machine: intent.machine,
    key: intent.key,
    intent_hash: intent.hash,
    effect: intent.effect,
    status,
    error_code: code,
    error_message: faultSentences[code],
    payload_hash: sha256(payload),
    delivered_rejected: isTold,
    workflow_failed: !isTold,
    dropped_pending_receipts: dropped.map(({ hash }) => hash),
  });
  return "rejected";
}

const unheard = "an answer came that its events have no place for";

function failCell(kernel: Kernel, intent: OpenIntent, seq: number): readonly OpenIntent[] {
  const cell = kernel.cellFor(intent.machine, intent.key);
  const { machine, key, root } = intent;
  if (cell.failed === null) {
    kernel.publish({ kind: "stopped", seq, cell: { machine, key }, why: unheard, root });
  }
  // A poison event at the head of the mailbox stays what it is.
  cell.failed ??= "receipt";
  kernel.ring.delete(cell.id);
  return kernel.abandonIntents(cell, seq);
}
