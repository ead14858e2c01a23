import { openSqliteStore, type SqliteStore } from "@holdfast/store";
import { startOfTime } from "./bench-workflow.ts";

/** On a file, with everything that makes it durable, as the server opens it. */
export function openBenchStore(folder: string): Promise<SqliteStore> {
  const newIncarnation = () => "bench";
  return openSqliteStore({ folder, clock: () => startOfTime, newIncarnation });
}

/** The same on the real clock, for those who wait for something. */
export function openBenchStoreNow(folder: string): Promise<SqliteStore> {
  const newIncarnation = () => "bench";
  return openSqliteStore({ folder, clock: () => Date.now(), newIncarnation });
}
