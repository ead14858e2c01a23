import { decodeCanonical, encodeCanonical, type Hash, pinPayload } from "@holdfast/core";
import type { ScriptSource } from "../compile/script-source.ts";
import type { Manifest } from "../manifest/manifest.ts";

/**
 * Everything that one version of a workflow is, as it was deployed: what was written, what runs,
 * what it declares. It is kept whole, so that a later compiler or validator
 * changes nothing about a version that is running.
 */
export type Deployable = {
  readonly source: ScriptSource;
  readonly code: string;
  readonly codeHash: Hash;
  /** Source map, JSON. */
  readonly map: string;
  readonly manifest: Manifest;
};

const format = 1;

export function packDeployable(deployable: Deployable): { bytes: Uint8Array; hash: Hash } {
  const bytes = encodeCanonical({ format, deployable: JSON.stringify(deployable) });
  return { bytes, hash: pinPayload(bytes).payload.hash };
}

/** The bytes come from the store, which has checked their hash. */
export function unpackDeployable(bytes: Uint8Array): Deployable {
  const read = decodeCanonical(bytes) as { format?: unknown; deployable?: unknown };
  if (read.format !== format || typeof read.deployable !== "string") {
    throw new Error(`A deployed script has format ${String(read.format)}, not ${format}.`);
  }
  return JSON.parse(read.deployable) as Deployable;
}
