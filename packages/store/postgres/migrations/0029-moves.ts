import type { Migration } from "../migrations.ts";

/** Whether the store was exported, is being imported, and how it came here. */
export const moves: Migration = {
  version: 29,
  name: "moves",
  sql: `
LOCK TABLE holdfast.store_meta IN ACCESS EXCLUSIVE MODE;

ALTER TABLE holdfast.store_meta
  ADD COLUMN exported_at bigint,
  ADD COLUMN exported_by text,
  ADD COLUMN exported_to text,
  ADD COLUMN arriving boolean NOT NULL DEFAULT false,
  ADD COLUMN arrival text;
`,
};
