import {
  contentHash,
  encodeCanonical,
  type Hash,
  type Instant,
  type IntentOutcome,
  invariant,
  type MutationRow,
  type SignedWord,
} from "@holdfast/core";
import {
  type Input,
  type Kernel,
  type OpenIntent,
  type ReceiptStatus,
  receiptLeaf,
  type Signature,
  unhex,
} from "@holdfast/core/machine";
import { deadline, isPast } from "./deadlines.ts";
import type { ExecutorKeys } from "./executor-keys.ts";

/** What became of an intent, before it is signed. */
export type Settled = {
  readonly intentId: string;
  readonly status: ReceiptStatus;
  readonly payload: Uint8Array;
  /** Of an executor in another process; absent = the host signs. */
  readonly signed?: SignedWord | undefined;
};

/** Every effect's error schema takes these two. */
export function errorOf(code: string, message: string): Pick<Settled, "status" | "payload"> {
  return { status: "error", payload: encodeCanonical({ code, message }) };
}

/** By the row of the ledger: `ok` and `error` have proof, `skipped` is a person's word. */
export function settledBy(
  { intentId, failure, signed: word }: IntentOutcome,
  row: MutationRow | null,
  result: Uint8Array,
): Settled {
  if (row === null) return { intentId, ...errorOf(failure?.code ?? "", failure?.message ?? "") };
  if (row.state === "applied") return { intentId, status: "ok", payload: result, signed: word };
  if (row.state !== "failed")
    return { intentId, status: "skipped", payload: encodeCanonical(null) };
  return { intentId, ...errorOf(codeOf(row), row.failure?.message ?? ""), signed: word };
}

/**
 * The word for a taken back call is the one it was taken back with. What machines are told is
 * spelled as their contract has it.
 */
export const canceled = "cancelled";
/** Its cell has ended. */
export const originGone = "origin_gone";

/** The word it is to be taken back with; null = it is still wanted. */
export function takenBackBy(intent: OpenIntent | undefined, now: Instant): string | null {
  if (intent === undefined) return originGone;
  if (intent.cancelAsked) return canceled;
  return isPast(intent, now) ? deadline : null;
}

/** As it was written before; a row may have it whose outcome is still to be told. */
const canceledBefore = "canceled";

function codeOf({ resolution, failure }: MutationRow): string {
  if (failure?.message === canceledBefore) return canceled;
  if (failure?.message === canceled || failure?.message === deadline) return failure.message;
  const isPersons = resolution !== null && resolution.kind !== "withdrawn";
  return isPersons ? resolution.kind : (failure?.class ?? "internal");
}

/**
 * One signature per executor for all of them; each can be checked by itself. An executor elsewhere
 * has signed each of its own; what it did not sign, or with a key that no longer counts, is
 * the host's word.
 */
export function signAll(
  kernel: Kernel,
  keys: ExecutorKeys,
  settled: readonly Settled[],
): readonly Input[] {
  const inputs = new Map<Settled, Input>();
  const byModule = new Map<string, { settled: Settled; intent: OpenIntent }[]>();
  for (const each of settled) {
    const intent = kernel.intents.get(each.intentId);
    if (intent === undefined) {
      inputs.set(each, receiptOf(each, contentHash("host"), nobody));
      continue;
    }
    const { module, moduleHash } = intent.executor;
    const own = each.signed && keys.admit(module, leafOf(each, intent), each.signed);
    if (own) {
      inputs.set(each, receiptOf(each, moduleHash, own));
      continue;
    }
    const group = byModule.get(module) ?? [];
    group.push({ settled: each, intent });
    byModule.set(module, group);
  }
  for (const [module, group] of byModule) {
    const leaves = group.map(({ settled: each, intent }) => leafOf(each, intent));
    for (const [at, signature] of keys.sign(module, leaves).entries()) {
      const found = group[at];
      if (found === undefined) continue;
      const { moduleHash } = found.intent.executor;
      inputs.set(found.settled, receiptOf(found.settled, moduleHash, signature));
    }
  }
  return settled.flatMap((each) => inputs.get(each) ?? []);
}

function leafOf({ status, payload }: Settled, { hash, executor }: OpenIntent): Uint8Array {
  return receiptLeaf({ intentHash: hash, status, payload, costCents: null, ...executor });
}

/** What was settled becomes receipts, all of them signed at once, in their places. */
export function signed(
  { kernel, keys }: { readonly kernel: Kernel; readonly keys: ExecutorKeys },
  all: readonly (Input | Settled)[],
): readonly Input[] {
  const settled = all.filter((each): each is Settled => "intentId" in each);
  const receipts = signAll(kernel, keys, settled).values();
  return all.map((each) => {
    if (!("intentId" in each)) return each;
    const { value } = receipts.next();
    invariant(value !== undefined, "whatever was settled has a receipt");
    return value;
  });
}

/** For one that nobody waits for any more: it is kept, and nothing depends on it. */
const nobody: Signature = { keyId: "", bytes: new Uint8Array(), path: [] };

function receiptOf(
  { intentId, status, payload }: Settled,
  moduleHash: Hash,
  signature: Signature,
): Input {
  const intentHash = unhex(intentId);
  return { kind: "receipt", intentHash, status, payload, costCents: null, moduleHash, signature };
}
