import type { Migration } from "../migrations.ts";

/** The last turn of the brake on all sending, with the command that tells workflows of it. */
export const storeBrake: Migration = {
  version: 21,
  name: "store-brake",
  sql: `
CREATE TABLE store_brake (
  only_row INTEGER PRIMARY KEY CONSTRAINT store_brake_is_one CHECK (only_row = 1),
  is_on INTEGER NOT NULL CONSTRAINT store_brake_word CHECK (is_on IN (0, 1)),
  reason TEXT NOT NULL,
  turn_key TEXT NOT NULL,
  command_id TEXT NOT NULL,
  actor TEXT NOT NULL,
  kind TEXT NOT NULL,
  body BLOB NOT NULL,
  at INTEGER NOT NULL
) STRICT;
`,
};
