export const deliveryStatuses = ["waiting", "taken", "skipped"] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** Taken once, by one run; what a person skipped is never shown to a script. */
export const deliveryStatusEdges: Readonly<Record<DeliveryStatus, readonly DeliveryStatus[]>> = {
  waiting: ["taken", "skipped"],
  taken: [],
  skipped: [],
};
