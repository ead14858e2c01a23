import type { Migration } from "../migrations.ts";

/** Questions can be paged through: those of a workflow, and the open ones of all of them. */
export const questions: Migration = {
  version: 7,
  name: "questions",
  sql: `
CREATE INDEX attentions_by_time ON attentions (workflow, opened_at, attention_id);
CREATE INDEX attentions_open_by_time ON attentions (opened_at, workflow, attention_id)
  WHERE closed_at IS NULL;
`,
};
