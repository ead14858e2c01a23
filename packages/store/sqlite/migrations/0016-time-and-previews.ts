import type { Migration } from "../migrations.ts";

/**
 * How long the code of a run has run; of what has ended it can be summed up from the index. And
 * what a call is in the host's words, where the script has none for it.
 */
export const timeAndPreviews: Migration = {
  version: 16,
  name: "time and previews",
  sql: `
ALTER TABLE runs ADD COLUMN active_ms INTEGER NOT NULL DEFAULT 0;
ALTER TABLE mutations ADD COLUMN preview TEXT;

-- A run gets here once, when it ends, and stays as it is.
CREATE INDEX runs_active ON runs (workflow, ended_at, active_ms)
  WHERE ended_at IS NOT NULL AND active_ms > 0;
`,
};
