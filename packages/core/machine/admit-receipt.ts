import { deliverOutcome } from "./continuation.ts";
import { hashBytes } from "./hash-bytes.ts";
import { hex } from "./hex.ts";
import type { Admission, ReceiptInput } from "./input.ts";
import type { OpenIntent } from "./intent.ts";
import type { Kernel, SettledIntent } from "./kernel.ts";
import { payloadFields } from "./out-of-line.ts";
import { refused } from "./refused.ts";
import { judgeSignature, receiptLeaf, type Signature } from "./signature.ts";
import { type Sample, type Stamp, stampRecord } from "./stamp.ts";

/** Delivered by what was recorded of its intent, whatever is subscribed to by now. */
export function admitReceipt(kernel: Kernel, input: ReceiptInput, sample: Sample): Admission {
  const id = hex(input.intentHash);
  const intent = kernel.intents.get(id);
  if (intent !== undefined) return admitOpen(kernel, intent, input, sample);
  const settled = kernel.settled.get(id);
  if (settled === undefined) return refused("receipt.unknown", id);
  const seq = write(kernel, input, settled, null, kernel.stampNext(sample));
  writeVerdict(kernel, "workflow.receipt_ignored", seq, settled, input, "receipt.settled");
  return { ok: true, seq, outcome: "ignored" };
}

function admitOpen(
  kernel: Kernel,
  intent: OpenIntent,
  input: ReceiptInput,
  sample: Sample,
): Admission {
  const fault = whyRefused(kernel, intent, input);
  const stamp = kernel.stampNext(sample);
  const seq = write(kernel, input, intent, fault === null, stamp);
  if (fault !== null) {
    writeVerdict(kernel, "workflow.receipt_refused", seq, intent, input, fault);
    return { ok: true, seq, outcome: "turned_away" };
  }
  const { status, payload, costCents, signature } = input;
  const outcome = { status, payload, costCents, signature: signature.bytes };
  return {
    ok: true,
    seq,
    outcome: deliverOutcome(kernel, intent, outcome, { seq, stamp, depth: 0 }),
  };
}

/** Null = it is the executor's word. Anything else leaves the intent as it is. */
function whyRefused(kernel: Kernel, intent: OpenIntent, input: ReceiptInput): string | null {
  const { module, entrypoint } = intent.executor;
  const leaf = receiptLeaf({ ...input, module, entrypoint });
  const verdict = judgeSignature(leaf, input.signature, { module, keys: kernel.keys });
  if (verdict !== "good") return `receipt.${verdict}`;
  // Nobody knows what a mutation that timed out has done; that is no outcome.
  const isGuess = input.status === "timeout" && intent.kind === "mutation";
  return isGuess ? "receipt.timeout_of_mutation" : null;
}

function write(
  kernel: Kernel,
  input: ReceiptInput,
  origin: SettledIntent,
  accepted: boolean | null, // null = nothing depended on it
  stamp: Stamp,
): number {
  const effect = kernel.intents.get(hex(input.intentHash))?.effect ?? null;
  return kernel.write(
    { kind: "effect_receipt", outside: true, cause: null },
    {
      intent_hash: input.intentHash,
      machine: origin.machine,
      key: origin.key,
      status: input.status,
      ...payloadFields(kernel, { effect, payload: input.payload }),
      cost_cents: input.costCents,
      executor_module_hash: hashBytes(input.moduleHash),
      signature: signatureRecord(input.signature),
      accepted,
      stamp: stampRecord(stamp),
    },
  );
}

export function signatureRecord({ keyId, bytes, path }: Signature) {
  return { key_id: keyId, bytes, path: path.map(({ side, hash }) => ({ side, hash })) };
}

function writeVerdict(
  kernel: Kernel,
  name: string,
  seq: number,
  { machine, key }: SettledIntent,
  { intentHash }: ReceiptInput,
  reason: string,
): void {
  kernel.writeCustom(name, seq, { machine, key, intent_hash: intentHash, reason });
}
