import type { Migration } from "../migrations.ts";

/** A call that a process elsewhere makes waits until one asks, and whoever is asked finds it. */
export const awaitedExecutors: Migration = {
  version: 28,
  name: "awaited-executors",
  sql: `
ALTER TABLE mutations ADD COLUMN awaits_executor TEXT;

CREATE INDEX mutations_awaiting ON mutations (awaits_executor, workflow)
  WHERE awaits_executor IS NOT NULL;
`,
};
