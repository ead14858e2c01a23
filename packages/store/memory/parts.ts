import type { Blob, Hash, Instant } from "@holdfast/core";
import { copyBytes } from "./stored-value.ts";
import type { WorkflowState } from "./workflow-state.ts";

export type StoredPart = { readonly bytes: Uint8Array; readonly touchedAt: Instant };

export function keepParts(state: WorkflowState, parts: readonly Blob[], now: Instant): void {
  for (const { hash, bytes } of parts) {
    const known = state.parts.get(hash);
    const touchedAt = Math.max(known?.touchedAt ?? now, now);
    state.parts.set(hash, { bytes: known?.bytes ?? copyBytes(bytes), touchedAt });
  }
}

export function loadParts(
  state: WorkflowState,
  hashes: readonly Hash[],
): readonly (Uint8Array | null)[] {
  return hashes.map((hash) => {
    const part = state.parts.get(hash);
    return part === undefined ? null : copyBytes(part.bytes);
  });
}

export function listParts(
  state: WorkflowState,
  after: Hash | null,
  limit: number,
): readonly Hash[] {
  const later = [...state.parts.keys()].filter((hash) => after === null || hash > after);
  return later.sort().slice(0, limit);
}

export function sweepParts(state: WorkflowState, hashes: readonly Hash[], before: Instant): number {
  let count = 0;
  for (const hash of hashes) {
    const part = state.parts.get(hash);
    if (part === undefined || part.touchedAt >= before) continue;
    state.parts.delete(hash);
    count += 1;
  }
  return count;
}
