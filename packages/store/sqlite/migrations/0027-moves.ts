import type { Migration } from "../migrations.ts";

/** Whether the store was exported, is being imported, and how it came here. */
export const moves: Migration = {
  version: 27,
  name: "moves",
  sql: `
ALTER TABLE store_meta ADD COLUMN exported_at INTEGER;
ALTER TABLE store_meta ADD COLUMN exported_by TEXT;
ALTER TABLE store_meta ADD COLUMN exported_to TEXT;
ALTER TABLE store_meta ADD COLUMN arriving INTEGER NOT NULL DEFAULT 0
  CONSTRAINT store_arriving_word CHECK (arriving IN (0, 1));
ALTER TABLE store_meta ADD COLUMN arrival TEXT;
`,
};
