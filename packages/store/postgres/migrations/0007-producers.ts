import type { Migration } from "../migrations.ts";

/** What the payloads of a topic must be. */
export const producers: Migration = {
  version: 7,
  name: "producers",
  sql: `
LOCK TABLE holdfast.workflows, holdfast.topics IN ACCESS EXCLUSIVE MODE;

ALTER TABLE holdfast.topics ADD COLUMN schema text;
`,
};
