import type { Migration } from "../migrations.ts";

/** What machines made of the events of topics, to be found from either side. */
export const eventUses: Migration = {
  version: 20,
  name: "event-uses",
  sql: `
CREATE TABLE event_uses (
  workflow TEXT NOT NULL,
  topic TEXT NOT NULL,
  message_id TEXT NOT NULL,
  used_by TEXT NOT NULL,
  PRIMARY KEY (workflow, topic, message_id, used_by)
) STRICT, WITHOUT ROWID;
CREATE INDEX event_uses_by_user ON event_uses (workflow, used_by, topic, message_id);
`,
};
