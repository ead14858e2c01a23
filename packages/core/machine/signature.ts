/**
 * Signatures over continuations. What an executor states about each is the leaf of a hash tree, and
 * the root is signed: one signature for all receipts of a flushed frame, and each can be checked
 * by itself with the few hashes of its path. Signing and verifying are outside; see `ReceiptKeys`.
 */
import { contentSha256, encodeCanonical, type Hash, sha256 } from "../canonical/index.ts";
import type { ReceiptStatus } from "./effect.ts";
import { hashBytes } from "./hash-bytes.ts";
import { sameBytes } from "./hex.ts";

export type Signature = {
  readonly keyId: string;
  readonly bytes: Uint8Array;
  readonly path: readonly PathStep[]; // from the leaf to the root; empty = one leaf
};

/** The hash beside ours, and on which side it is. */
export type PathStep = { readonly side: "left" | "right"; readonly hash: Uint8Array };

/** The executors' public keys. Keys that are not used any more stay known, for replay. */
export type ReceiptKeys = {
  /** Which executor's key it is; null = nobody's. */
  moduleOf(keyId: string): string | null;
  verify(keyId: string, statement: Uint8Array, signature: Uint8Array): boolean;
};

/** A public key as the journal has it: whose it is, and what is signed with its other half. */
export type PublicKey = {
  readonly keyId: string;
  readonly module: string;
  readonly publicKey: Uint8Array;
};

export type ReceiptStatement = {
  readonly intentHash: Uint8Array;
  readonly status: ReceiptStatus;
  readonly payload: Uint8Array;
  readonly costCents: bigint | null;
  readonly module: string;
  readonly moduleHash: Hash;
  readonly entrypoint: string;
};

export function receiptLeaf(statement: ReceiptStatement): Uint8Array {
  return leafOf({
    intent_hash: statement.intentHash,
    status: statement.status,
    payload_hash: sha256(statement.payload),
    cost_cents: statement.costCents,
    executor_module: statement.module,
    executor_module_hash: hashBytes(statement.moduleHash),
    executor_entrypoint: statement.entrypoint,
  });
}

export type FrameStatement = {
  readonly intentHash: Uint8Array;
  readonly seq: number;
  readonly kind: string;
  readonly payload: Uint8Array;
  readonly payloadRef: Hash | null;
  readonly module: string;
};

export function frameLeaf(statement: FrameStatement): Uint8Array {
  return leafOf({
    intent_hash: statement.intentHash,
    seq: statement.seq,
    kind: statement.kind,
    payload_hash: sha256(statement.payload),
    payload_ref: statement.payloadRef === null ? null : hashBytes(statement.payloadRef),
    executor_module: statement.module,
  });
}

/** Leaves, nodes and roots are told apart by their first word, so that none passes for another. */
function leafOf(statement: {
  readonly [name: string]: Uint8Array | string | number | bigint | null;
}) {
  return contentSha256(["leaf", statement]);
}

const noHash = new Uint8Array(32);
/** The bytes of a node: only the two hashes differ from one to the next. */
const nodeBytes = encodeCanonical(["node", noHash, noHash]);
const rightAt = nodeBytes.length - noHash.length;
const leftAt = rightAt - 2 - noHash.length;

/** Each receipt has a way of several nodes, so they are made in place. */
function nodeOf(left: Uint8Array, right: Uint8Array): Uint8Array {
  if (left.length !== noHash.length || right.length !== noHash.length) {
    return contentSha256(["node", left, right]);
  }
  nodeBytes.set(left, leftAt);
  nodeBytes.set(right, rightAt);
  return sha256(nodeBytes);
}

type KnownNode = {
  readonly left: Uint8Array;
  readonly right: Uint8Array;
  readonly hash: Uint8Array;
};

/** Receipts come in the order of their tree, so most share a node with the one before them. */
const lastNodes: (KnownNode | undefined)[] = [];

/** The node of one level, which is made once for all that come to it one after the other. */
function nodeAt(level: number, left: Uint8Array, right: Uint8Array): Uint8Array {
  const last = lastNodes[level];
  if (last !== undefined && sameBytes(last.left, left) && sameBytes(last.right, right)) {
    return last.hash;
  }
  const hash = nodeOf(left, right);
  lastNodes[level] = { left, right, hash };
  return hash;
}

/** The bytes to sign for a tree. */
function rootStatement(root: Uint8Array): Uint8Array {
  return encodeCanonical(["receipts", root]);
}

export type SignedTree = {
  readonly statement: Uint8Array; // what is signed
  readonly paths: readonly (readonly PathStep[])[]; // one per leaf, in order
};

/** Throws nothing; an empty list of leaves has no tree. */
export function signedTree(leaves: readonly Uint8Array[]): SignedTree | null {
  const paths: PathStep[][] = leaves.map(() => []);
  let level = leaves.map((hash, at) => ({ hash, members: [at] }));
  while (level.length > 1) {
    const above: typeof level = [];
    for (let at = 0; at < level.length; at += 2) {
      const [left, right] = [level[at], level[at + 1]];
      if (left === undefined) continue;
      if (right === undefined) {
        above.push(left);
        continue;
      }
      for (const member of left.members) paths[member]?.push({ side: "right", hash: right.hash });
      for (const member of right.members) paths[member]?.push({ side: "left", hash: left.hash });
      const hash = nodeOf(left.hash, right.hash);
      above.push({ hash, members: [...left.members, ...right.members] });
    }
    level = above;
  }
  const [root] = level;
  return root === undefined ? null : { statement: rootStatement(root.hash), paths };
}

/** Longer than any path of a frame; a forged one must not cost time. */
const pathStepsMax = 64;

/**
 * Whose word a receipt is that no executor gave: a person's, what was found out, a deadline. Of an
 * executor in another process only that process can sign.
 */
export const hostWord = "sys/host@1";

export type SignatureVerdict = "good" | "key_unknown" | "key_of_another" | "signature_wrong";

/** Whether this executor, or the host in its place, has stated exactly this. */
export function judgeSignature(
  leaf: Uint8Array,
  signature: Signature,
  by: { readonly module: string; readonly keys: ReceiptKeys },
): SignatureVerdict {
  const owner = by.keys.moduleOf(signature.keyId);
  if (owner === null) return "key_unknown";
  if (owner !== by.module && owner !== hostWord) return "key_of_another";
  if (signature.path.length > pathStepsMax) return "signature_wrong";
  let hash = leaf;
  let level = 0;
  for (const { side, hash: beside } of signature.path) {
    hash = side === "left" ? nodeAt(level, beside, hash) : nodeAt(level, hash, beside);
    level += 1;
  }
  const isGood = by.keys.verify(signature.keyId, rootStatement(hash), signature.bytes);
  return isGood ? "good" : "signature_wrong";
}
