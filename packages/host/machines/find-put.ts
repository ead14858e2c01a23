import { type Hash, HostError, hashText, type Store } from "@holdfast/core";
import { blobName, StateFault } from "@holdfast/core/machine";

/**
 * The bytes that a machine put, or anything else of its workflow under that hash; null = there is
 * nothing. What was put by an earlier version of Holdfast lies among the payloads.
 */
export async function findPut(
  store: Pick<Store, "loadParts" | "loadBlob">,
  workflow: string,
  ref: Hash,
): Promise<Uint8Array | null> {
  const [put = null] = await store.loadParts(workflow, [blobName(ref)]);
  if (put !== null) {
    if (hashText(put) === ref) return put;
    throw new StateFault("state.altered", blobName(ref));
  }
  try {
    return await store.loadBlob(workflow, ref);
  } catch (error) {
    if (error instanceof HostError && error.code === "BLOB_MISSING") return null;
    throw error;
  }
}
