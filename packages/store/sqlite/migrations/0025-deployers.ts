import type { Migration } from "../migrations.ts";

/** Whose version made a call: four eyes look at them, too. Older rows do not say. */
export const deployers: Migration = {
  version: 25,
  name: "deployers",
  sql: `
ALTER TABLE workflows ADD COLUMN proposed_by TEXT;
ALTER TABLE runs ADD COLUMN deployers TEXT;
`,
};
