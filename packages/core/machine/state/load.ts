import { type Hash, sha256 } from "../../canonical/index.ts";
import { invariant } from "../../ports/invariant.ts";
import type { Loading } from "../ask.ts";
import { hashOfBytes } from "../hash-bytes.ts";
import { sameBytes } from "../hex.ts";

/** Bytes that are kept under their hash: a state, a node of an index. */
export type Part = { readonly hash: Hash; readonly bytes: Uint8Array };

/** Asks for parts; null in the answer = there is none of that name. */
export type Load = { readonly hashes: readonly Hash[] };
export type Loaded = {
  readonly kind: "loaded";
  readonly parts: readonly (Uint8Array | null)[];
};

export type StateFaultCode =
  | "state.missing" // a part that is named is not there
  | "state.altered" // its bytes have another hash
  | "state.malformed" // bytes of the right hash that no kernel wrote
  | "snapshot.malformed" // no snapshot at all
  | "snapshot.horizon" // there are receipts before its height that it does not have
  | "snapshot.lineage"; // of another version, or not of this journal

/** What is kept of the machines is not what was kept. Nothing may go on from it. */
export class StateFault extends Error {
  override readonly name = "StateFault";
  readonly code: StateFaultCode;
  readonly what: string;

  constructor(code: StateFaultCode, what: string) {
    super(`${code}: ${what}`);
    this.code = code;
    this.what = what;
  }
}

/** In the order asked for. Whoever answers is not believed: every part is hashed again. */
export function* loadParts(wanted: readonly Uint8Array[]): Loading<readonly Uint8Array[]> {
  if (wanted.length === 0) return [];
  const answer = yield { hashes: wanted.map(hashOfBytes) };
  invariant(answer.kind === "loaded", "who is asked for parts answers with parts");
  return wanted.map((hash, at) => {
    const bytes = answer.parts[at] ?? null;
    if (bytes === null) throw new StateFault("state.missing", hashOfBytes(hash));
    if (!sameBytes(sha256(bytes), hash)) throw new StateFault("state.altered", hashOfBytes(hash));
    return bytes;
  });
}
