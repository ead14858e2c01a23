import type { Migration } from "../migrations.ts";

/** Turns of machines that were begun after a death are written down before their steps run. */
export const machineTurns: Migration = {
  version: 23,
  name: "machine-turns",
  sql: `
ALTER TABLE workflows ADD COLUMN machine_turns INTEGER DEFAULT 0;
`,
};
