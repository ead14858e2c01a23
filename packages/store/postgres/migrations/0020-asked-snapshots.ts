import type { Migration } from "../migrations.ts";

/** People may ask for a snapshot of machines; what waits for them has one more word. */
export const askedSnapshots: Migration = {
  version: 20,
  name: "asked-snapshots",
  sql: `
ALTER TABLE holdfast.machine_inputs
  DROP CONSTRAINT machine_input_kind_word,
  ADD CONSTRAINT machine_input_kind_word CHECK (
    kind IN ('manifest', 'event', 'direct', 'cancel', 'restart', 'outcome', 'snapshot'));
`,
};
