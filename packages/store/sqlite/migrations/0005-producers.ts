import type { Migration } from "../migrations.ts";

/** What the payloads of a topic must be. */
export const producers: Migration = {
  version: 5,
  name: "producers",
  sql: `
ALTER TABLE topics ADD COLUMN schema TEXT;
`,
};
