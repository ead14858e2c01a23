import type { Blob, Hash } from "@holdfast/core";
import { missingBlob } from "../store-errors.ts";
import { copyBytes } from "./stored-value.ts";
import type { WorkflowState } from "./workflow-state.ts";

/** Known by their hash, so the bytes that are there already are the right ones. */
export function keepBlobs(state: WorkflowState, blobs: readonly Blob[]): void {
  for (const { hash, bytes } of blobs) {
    if (!state.blobs.has(hash)) state.blobs.set(hash, copyBytes(bytes));
  }
}

export function loadBlob(state: WorkflowState, hash: Hash): Uint8Array {
  const bytes = state.blobs.get(hash);
  if (bytes === undefined) throw missingBlob(state.workflow, hash);
  return copyBytes(bytes);
}
