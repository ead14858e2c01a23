import type { Migration } from "../migrations.ts";

/** Answers to metered calls, so that a retry does not pay again. With row ids: they may be long. */
export const keptResults: Migration = {
  version: 22,
  name: "kept results",
  sql: `
CREATE TABLE kept_results (
  workflow TEXT NOT NULL,
  chain TEXT NOT NULL,
  call TEXT NOT NULL,
  at INTEGER NOT NULL,
  result TEXT,
  PRIMARY KEY (workflow, chain, call)
) STRICT;

CREATE INDEX kept_results_by_time ON kept_results (workflow, at);
`,
};
