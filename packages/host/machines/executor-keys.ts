import { createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from "node:crypto";
import { hashText, invariant, type SignedWord } from "@holdfast/core";
import { hostWord, type ReceiptKeys, type Signature, signedTree } from "@holdfast/core/machine";
import type { KnownKey } from "./frame-body.ts";

type OwnPair = KnownKey & { readonly secret: KeyObject };

/**
 * One pair for each executor: the one the config gives it, or of this process alone, made when it
 * first signs. The secret half never leaves memory; the public half stands in the journal of
 * whoever got a receipt.
 */
const ownPairs = new Map<string, OwnPair>();

/** By id: those that count now, whatever a journal knows besides. */
const listedKeys = new Map<string, KnownKey>();
/** Executors in other processes: the host cannot sign for them. */
const elsewhere = new Set<string>();

/** What the host's config says of one executor. */
export type ListedExecutor = {
  readonly module: string;
  /** Of all that its receipts may be signed with. */
  readonly publicKeys: readonly Uint8Array[];
  /** The other half of one of them; null = a process elsewhere has it. */
  readonly secret: KeyObject | null;
};

/** Executors that are listed sign with the key they were given, in every process. */
export function useListedKeys(listed: readonly ListedExecutor[]): void {
  for (const { module, publicKeys, secret } of listed) {
    for (const publicKey of publicKeys) {
      const keyId = hashText(publicKey);
      listedKeys.set(keyId, { keyId, module, publicKey });
    }
    if (secret === null) {
      elsewhere.add(module);
      continue;
    }
    const own = derOf(createPublicKey(secret));
    const isListed = publicKeys.some((key) => isSame(key, own));
    invariant(isListed, `what ${module} signs with is listed`);
    ownPairs.set(module, { keyId: hashText(own), module, publicKey: own, secret });
  }
}

export type WordVerdict = "good" | "key_unlisted" | "key_of_another" | "signature_wrong";

/** Whether an executor says exactly this, with a key that is listed for it now. */
export function judgeWord(module: string, leaf: Uint8Array, word: SignedWord): WordVerdict {
  const listed = listedKeys.get(word.keyId);
  if (listed === undefined) return "key_unlisted";
  if (listed.module !== module) return "key_of_another";
  const tree = signedTree([leaf]);
  const open = openKey(listed);
  const isGood = tree !== null && verify(null, tree.statement, open, word.bytes);
  return isGood ? "good" : "signature_wrong";
}

function openKey({ publicKey }: KnownKey): KeyObject {
  return createPublicKey({ key: Buffer.from(publicKey), format: "der", type: "spki" });
}

function derOf(key: KeyObject): Uint8Array {
  return new Uint8Array(key.export({ format: "der", type: "spki" }));
}

function ownPair(module: string): OwnPair {
  const known = ownPairs.get(module);
  if (known !== undefined) return known;
  const { publicKey: open, privateKey: secret } = generateKeyPairSync("ed25519");
  const publicKey = derOf(open);
  const pair = { keyId: hashText(publicKey), module, publicKey, secret };
  ownPairs.set(module, pair);
  return pair;
}

/** The keys that one workflow's journal knows, and those that this process adds to them. */
export class ExecutorKeys implements ReceiptKeys {
  readonly #known = new Map<string, KnownKey & { readonly open: KeyObject }>();
  #added: KnownKey[] = [];
  #lastGood: { keyId: string; statement: Uint8Array; signature: Uint8Array } | null = null;

  constructor(keys: readonly KnownKey[] = []) {
    this.learn(keys);
  }

  get known(): readonly KnownKey[] {
    return [...this.#known.values()].map(({ keyId, module, publicKey }) => {
      return { keyId, module, publicKey };
    });
  }

  learn(keys: readonly KnownKey[]): void {
    for (const key of keys) {
      this.#known.set(key.keyId, { ...key, open: openKey(key) });
    }
  }

  /** Each of these, for the same executor. */
  haveAll(keys: readonly KnownKey[]): boolean {
    return keys.every(({ keyId, module, publicKey }) => {
      const known = this.#known.get(keyId);
      return known?.module === module && isSame(known.publicKey, publicKey);
    });
  }

  moduleOf(keyId: string): string | null {
    return this.#known.get(keyId)?.module ?? null;
  }

  verify(keyId: string, statement: Uint8Array, signature: Uint8Array): boolean {
    const key = this.#known.get(keyId);
    if (key === undefined) return false;
    // All receipts of one executor in a frame lead to one statement: it is looked at once.
    const known = this.#lastGood;
    const isKnown = known?.keyId === keyId && isSame(known.statement, statement);
    if (isKnown && isSame(known.signature, signature)) return true;
    if (!verify(null, statement, key.open, signature)) return false;
    this.#lastGood = { keyId, statement, signature };
    return true;
  }

  /** All receipts of one executor in a frame have one signature, each its own way to it. */
  sign(module: string, leaves: readonly Uint8Array[]): readonly Signature[] {
    const tree = signedTree(leaves);
    if (tree === null) return [];
    const { secret, ...key } = ownPair(elsewhere.has(module) ? hostWord : module);
    this.#add(key);
    const bytes = new Uint8Array(sign(null, tree.statement, secret));
    return tree.paths.map((path) => ({ keyId: key.keyId, bytes, path }));
  }

  /** An executor's own signature; null = not of a key that is listed now, or not over this. */
  admit(module: string, leaf: Uint8Array, word: SignedWord): Signature | null {
    const listed = listedKeys.get(word.keyId);
    if (listed === undefined || judgeWord(module, leaf, word) !== "good") return null;
    this.#add(listed);
    return { ...word, path: [] };
  }

  #add(key: KnownKey): void {
    if (this.#known.has(key.keyId)) return;
    this.learn([key]);
    this.#added.push(key);
  }

  /** Keys that the journal does not have yet. */
  takeAdded(): readonly KnownKey[] {
    const added = this.#added;
    this.#added = [];
    return added;
  }
}

function isSame(left: Uint8Array, right: Uint8Array): boolean {
  return Buffer.compare(left, right) === 0;
}
