import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { HostError } from "@holdfast/core";
import { openSqliteStore, type SqliteStore } from "@holdfast/store/sqlite";

/** An empty variable is what an unset one becomes on its way through other tools. */
export const defaultFolder = process.env["HOLDFAST_DATA"] || ".holdfast";

/** For commands that look at what is there: a typing error must not make an empty database. */
export async function openExistingStore(folder: string): Promise<SqliteStore> {
  const path = resolve(folder);
  if (!existsSync(join(path, "holdfast.db"))) {
    throw new HostError("STORE_GONE", {
      what: `There is no Holdfast database in ${path}.`,
      remedy: "Name the folder with --data; if Holdfast was never started here, start it once.",
      retry: "safe",
    });
  }
  const clock = () => Date.now();
  return openSqliteStore({ folder: path, clock, newIncarnation: randomUUID });
}
