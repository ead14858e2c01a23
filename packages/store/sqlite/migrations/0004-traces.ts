import type { Migration } from "../migrations.ts";

/** What runs did, for people: no fact stands on it, and it is forgotten by position and by time. */
export const traces: Migration = {
  version: 4,
  name: "traces",
  sql: `
CREATE TABLE traces (
  workflow TEXT NOT NULL,
  seq INTEGER NOT NULL,
  run_id TEXT NOT NULL,
  at INTEGER NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (workflow, seq)
) STRICT;
CREATE INDEX traces_by_time ON traces (at);
`,
};
