import type { Migration } from "../migrations.ts";

/** Which cells of machines are from before a restore. */
export const olderCells: Migration = {
  version: 19,
  name: "older-cells",
  sql: `
ALTER TABLE workflows ADD COLUMN restored_machine_seq INTEGER;

CREATE TABLE older_cells (
  workflow TEXT NOT NULL,
  mark TEXT NOT NULL,
  PRIMARY KEY (workflow, mark)
) STRICT, WITHOUT ROWID;
`,
};
