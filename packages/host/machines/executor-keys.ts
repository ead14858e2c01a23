import { createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from "node:crypto";
import { hashText, invariant, type SignedWord } from "@holdfast/core";
import {
  hostWord,
  PublicKeys,
  type Signature,
  type SignatureScheme,
  signedTree,
} from "@holdfast/core/machine";
import type { KnownKey } from "./frame-body.ts";

const ed25519: SignatureScheme<KeyObject> = {
  open: (key) => createPublicKey({ key: Buffer.from(key), format: "der", type: "spki" }),
  verify: (statement, key, signature) => verify(null, statement, key, signature),
};

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
  const key = ed25519.open(listed.publicKey);
  const isGood = tree !== null && ed25519.verify(tree.statement, key, word.bytes);
  return isGood ? "good" : "signature_wrong";
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
export class ExecutorKeys extends PublicKeys<KeyObject> {
  #added: KnownKey[] = [];

  constructor(keys: readonly KnownKey[] = []) {
    super(ed25519);
    this.learn(keys);
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
    if (this.moduleOf(key.keyId) !== null) return;
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
