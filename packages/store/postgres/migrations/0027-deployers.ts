import type { Migration } from "../migrations.ts";

/** Whose version made a call: four eyes look at them, too. Older rows do not say. */
export const deployers: Migration = {
  version: 27,
  name: "deployers",
  sql: `
LOCK TABLE holdfast.workflows, holdfast.runs IN ACCESS EXCLUSIVE MODE;

ALTER TABLE holdfast.workflows ADD COLUMN proposed_by text;
ALTER TABLE holdfast.runs ADD COLUMN deployers text;
`,
};
