import type { Hash } from "@holdfast/core";

/**
 * Parts lie where blobs do, under names of their own: what is swept is found by its name, and a
 * payload with the same bytes is another row, which nothing ever sweeps.
 */
const prefix = "part:";
/** Every name of a part is after the one and before the other. */
export const partNames = { after: prefix, before: "part;" };

export function partName(hash: Hash): string {
  return `${prefix}${hash}`;
}

export function hashOfPart(name: unknown): Hash {
  return String(name).slice(prefix.length) as Hash;
}
