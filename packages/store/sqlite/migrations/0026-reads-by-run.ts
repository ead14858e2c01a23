import type { Migration } from "../migrations.ts";

/** What a run has read under a budget, for limits on the run. Of its changes there is one. */
export const readsByRun: Migration = {
  version: 26,
  name: "reads by run",
  sql: `
CREATE INDEX counted_reads_by_run
  ON counted_reads (workflow, run_id, budget, at, amount) WHERE budget IS NOT NULL;
`,
};
