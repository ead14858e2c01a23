import type { Migration } from "../migrations.ts";

/** Turns of machines that were begun after a death are written down before their steps run. */
export const machineTurns: Migration = {
  version: 25,
  name: "machine-turns",
  sql: `
LOCK TABLE holdfast.workflows IN ACCESS EXCLUSIVE MODE;

ALTER TABLE holdfast.workflows ADD COLUMN machine_turns bigint DEFAULT 0;
`,
};
