import type { Migration } from "../migrations.ts";

/** People may ask for a snapshot of machines; what waits for them has one more word. */
export const askedSnapshots: Migration = {
  version: 18,
  name: "asked-snapshots",
  sql: `
ALTER TABLE machine_inputs RENAME TO machine_inputs_before;
CREATE TABLE machine_inputs (
  workflow TEXT NOT NULL,
  position INTEGER NOT NULL,
  kind TEXT NOT NULL CONSTRAINT machine_input_kind_word CHECK (
    kind = 'manifest' OR kind = 'event' OR kind = 'direct' OR kind = 'cancel' OR kind = 'restart'
    OR kind = 'outcome' OR kind = 'snapshot'),
  body_digest TEXT NOT NULL,
  body_size INTEGER NOT NULL,
  body_inline BLOB,
  PRIMARY KEY (workflow, position)
) STRICT, WITHOUT ROWID;
INSERT INTO machine_inputs SELECT * FROM machine_inputs_before;
DROP TABLE machine_inputs_before;
`,
};
