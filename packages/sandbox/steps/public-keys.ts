import { createPublicKey, type KeyObject, verify } from "node:crypto";
import type { PublicKey, ReceiptKeys } from "@holdfast/core/machine";

/** The keys that a journal has named so far; nothing is signed here. */
export class PublicKeys implements ReceiptKeys {
  readonly #known = new Map<string, { readonly module: string; readonly open: KeyObject }>();
  #lastGood: { keyId: string; statement: Uint8Array; signature: Uint8Array } | null = null;

  learn(keys: readonly PublicKey[]): void {
    for (const { keyId, module, publicKey } of keys) {
      const der = { key: Buffer.from(publicKey), format: "der", type: "spki" } as const;
      this.#known.set(keyId, { module, open: createPublicKey(der) });
    }
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
}

function isSame(left: Uint8Array, right: Uint8Array): boolean {
  return Buffer.compare(left, right) === 0;
}
