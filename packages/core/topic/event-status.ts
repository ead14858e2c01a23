export const eventStatuses = ["pending", "reserved", "consumed", "skipped"] as const;
export type EventStatus = (typeof eventStatuses)[number];

/** consumed and skipped leave only by a person's reprocess or reset, which raises the attempt. */
export const eventStatusEdges: Readonly<Record<EventStatus, readonly EventStatus[]>> = {
  pending: ["reserved", "skipped"],
  reserved: ["pending", "consumed", "skipped"],
  consumed: ["pending"],
  skipped: ["pending"],
};
