import type { Migration } from "../migrations.ts";

/** The lists of items have their indexes. */
export const itemLists: Migration = {
  version: 12,
  name: "item lists",
  sql: `
CREATE INDEX items_by_position ON items (workflow, position);
-- Small at any time: what is done leaves it.
CREATE INDEX items_not_done ON items (workflow, status, position)
  WHERE (status = 'processing' OR status = 'failed' OR status = 'skipped'
    OR status = 'needs_attention');
`,
};
