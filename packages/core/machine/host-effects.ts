import { type CanonicalRecord, contentHash, hashText, type Schema } from "../canonical/index.ts";
import { type CompiledEffect, compileEffect, type Executor } from "./effect.ts";

export const timerEffect = "sys/timer.set@1";
export const blobPutEffect = "sys/blob.put@1";
export const blobGetEffect = "sys/blob.get@1";

const hash: Schema = { type: "hash" };
const time: Schema = { type: "time" };
const nat: Schema = { type: "nat" };
const bytes: Schema = { type: "bytes" };
const note: Schema = { type: "option", inner: { type: "text" } };
const refs: Schema = { type: "option", inner: { type: "list", item: hash } };

const module = "sys/builtin_effects@1";
/** The host's own effects have no package; what they promise is what they are known by. */
const moduleHash = contentHash(module);
const executor = (entrypoint: string): Executor => ({ module, moduleHash, entrypoint });
const record = (fields: { [name: string]: Schema }): Schema => ({ type: "record", fields });

/** The blob's hash is part of what is hashed, whether or not the author wrote it. */
function completeBlobPut(params: CanonicalRecord): CanonicalRecord | null {
  const given = params["bytes"];
  if (!(given instanceof Uint8Array)) return null;
  const blobRef = hashText(given);
  const claimed = params["blob_ref"] ?? null;
  if (claimed !== null && claimed !== blobRef) return null;
  return { bytes: given, blob_ref: blobRef, refs: params["refs"] ?? [] };
}

/** What every machine may ask for without a connector. */
export const hostEffects: readonly CompiledEffect[] = [
  compileEffect(
    {
      name: timerEffect,
      kind: "timer",
      params: record({ deliver_at_ns: time, key: note }),
      receipt: record({ delivered_at_ns: time, key: note }),
      error: null,
      executor: executor("timer.set"),
    },
    null,
  ),
  compileEffect(
    {
      name: blobPutEffect,
      kind: "blob",
      params: record({ bytes, blob_ref: { type: "option", inner: hash }, refs }),
      receipt: record({ blob_ref: hash, edge_ref: hash, size: nat }),
      error: null,
      executor: executor("blob.put"),
    },
    completeBlobPut,
  ),
  compileEffect(
    {
      name: blobGetEffect,
      kind: "blob",
      params: record({ blob_ref: hash }),
      receipt: record({ blob_ref: hash, size: nat, bytes }),
      error: null,
      executor: executor("blob.get"),
    },
    null,
  ),
];
