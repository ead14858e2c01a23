import { generateKeyPairSync, type KeyObject, sign, verify } from "node:crypto";
import type { ReceiptKeys, Signature } from "../signature.ts";
import { signedTree } from "../signature.ts";

/** Executors' key pairs as a host would hold them: several per module, told apart by their ids. */
export class TestKeys implements ReceiptKeys {
  private readonly pairs = new Map<
    string,
    { module: string; open: KeyObject; secret: KeyObject }
  >();

  add(keyId: string, module: string): void {
    const { publicKey: open, privateKey: secret } = generateKeyPairSync("ed25519");
    this.pairs.set(keyId, { module, open, secret });
  }

  moduleOf(keyId: string): string | null {
    return this.pairs.get(keyId)?.module ?? null;
  }

  verify(keyId: string, statement: Uint8Array, signature: Uint8Array): boolean {
    const pair = this.pairs.get(keyId);
    return pair !== undefined && verify(null, statement, pair.open, signature);
  }

  /** Signs all leaves at once; each gets the same bytes and its own path. */
  sign(keyId: string, leaves: readonly Uint8Array[]): readonly Signature[] {
    const tree = signedTree(leaves);
    const pair = this.pairs.get(keyId);
    if (tree === null || pair === undefined) return [];
    const bytes = new Uint8Array(sign(null, tree.statement, pair.secret));
    return tree.paths.map((path) => ({ keyId, bytes, path }));
  }
}
