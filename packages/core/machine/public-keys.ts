import { sameBytes } from "./hex.ts";
import type { PublicKey, ReceiptKeys } from "./signature.ts";

/** How keys are read and signatures checked: passed in, since the core has but a hash. */
export type SignatureScheme<Key> = {
  readonly open: (publicKey: Uint8Array) => Key;
  readonly verify: (statement: Uint8Array, key: Key, signature: Uint8Array) => boolean;
};

type Statement = {
  readonly keyId: string;
  readonly statement: Uint8Array;
  readonly signature: Uint8Array;
};

/** The keys that a journal has named so far; nothing is signed with them. */
export class PublicKeys<Key> implements ReceiptKeys {
  readonly #scheme: SignatureScheme<Key>;
  readonly #known = new Map<string, PublicKey & { readonly open: Key }>();
  #lastGood: Statement | null = null;

  constructor(scheme: SignatureScheme<Key>) {
    this.#scheme = scheme;
  }

  get known(): readonly PublicKey[] {
    return [...this.#known.values()].map(({ keyId, module, publicKey }) => {
      return { keyId, module, publicKey };
    });
  }

  learn(keys: readonly PublicKey[]): void {
    for (const key of keys) {
      this.#known.set(key.keyId, { ...key, open: this.#scheme.open(key.publicKey) });
    }
  }

  /** Each of these, for the same executor. */
  haveAll(keys: readonly PublicKey[]): boolean {
    return keys.every(({ keyId, module, publicKey }) => {
      const known = this.#known.get(keyId);
      return known?.module === module && sameBytes(known.publicKey, publicKey);
    });
  }

  moduleOf(keyId: string): string | null {
    return this.#known.get(keyId)?.module ?? null;
  }

  verify(keyId: string, statement: Uint8Array, signature: Uint8Array): boolean {
    const key = this.#known.get(keyId);
    if (key === undefined) return false;
    const given = { keyId, statement, signature };
    // All receipts of one executor in a frame lead to one statement: it is looked at once.
    if (this.#lastGood !== null && isSame(this.#lastGood, given)) return true;
    if (!this.#scheme.verify(statement, key.open, signature)) return false;
    this.#lastGood = given;
    return true;
  }
}

function isSame(known: Statement, given: Statement): boolean {
  return (
    known.keyId === given.keyId &&
    sameBytes(known.statement, given.statement) &&
    sameBytes(known.signature, given.signature)
  );
}
