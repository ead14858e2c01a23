import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { backup, DatabaseSync } from "node:sqlite";
import { hostError, storeError } from "./errors.ts";
import { syncFolder } from "./sync-folder.ts";

/** All pages at once: a copy in several steps would begin anew with every commit of the host. */
const everyPage = 2_147_483_647;

/**
 * Copies the database of a data folder as it is at one moment, whether or not a host works on it.
 * The copy appears under its name only when it is whole and on the disk.
 */
export async function backUpSqliteStore(given: {
  readonly folder: string;
  readonly into: string;
}): Promise<{ readonly path: string }> {
  const source = join(resolve(given.folder), "holdfast.db");
  const into = resolve(given.into);
  const path = join(into, "holdfast.db");
  if (existsSync(path)) throw occupied(path);
  mkdirSync(into, { recursive: true });
  const unfinished = `${path}.unfinished`;
  rmSync(unfinished, { force: true });
  try {
    await copyDatabase(source, unfinished);
    syncFile(unfinished);
    renameSync(unfinished, path);
    syncFolder(into);
    syncFolder(dirname(into));
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw storeError(error, { path: source, doing: "Backing up" });
  }
  return { path };
}

async function copyDatabase(source: string, target: string): Promise<void> {
  const database = new DatabaseSync(source, { readOnly: true, timeout: 10_000 });
  try {
    await backup(database, target, { rate: everyPage });
  } finally {
    database.close();
  }
}

function syncFile(path: string): void {
  const file = openSync(path, "r+");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function occupied(path: string) {
  return hostError("BACKUP_REFUSED", {
    what: `${path} is there already.`,
    remedy: "Name a folder that holds no store; nothing was written.",
    details: { path },
  });
}
