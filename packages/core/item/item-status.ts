export const itemStatuses = ["processing", "done", "failed", "skipped", "needs_attention"] as const;
export type ItemStatus = (typeof itemStatuses)[number];

/**
 * A failed item stays failed until its handler has come to its end. What is done or skipped goes
 * back to work only as a new attempt, and only because a person wants it.
 */
export const itemStatusEdges: Readonly<Record<ItemStatus, readonly ItemStatus[]>> = {
  processing: ["done", "failed", "needs_attention"],
  done: ["processing"],
  failed: ["done", "needs_attention", "skipped", "processing"],
  skipped: ["processing"],
  needs_attention: ["skipped", "processing"],
};
