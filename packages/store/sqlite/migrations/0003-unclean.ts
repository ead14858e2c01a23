import type { Migration } from "../migrations.ts";

/** When an owner died after whom nothing was committed yet: whoever comes next must know. */
export const unclean: Migration = {
  version: 3,
  name: "unclean",
  sql: `
ALTER TABLE workflows ADD COLUMN unclean_since INTEGER;
CREATE INDEX workflows_unclean ON workflows (unclean_since) WHERE unclean_since IS NOT NULL;
`,
};
