import type { Migration } from "../migrations.ts";

/** Which runs have held an event: one entry for each, so that asking why does not read them all. */
export const heldEvents: Migration = {
  version: 17,
  name: "held events",
  sql: `
CREATE INDEX reservations_of_event
  ON holdfast.reservations (workflow, topic, message_id, length(run_id), run_id);
`,
};
