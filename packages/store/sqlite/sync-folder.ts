import { closeSync, fsyncSync, openSync } from "node:fs";

/** A new or renamed entry is durable only when its folder is; SQLite syncs that of its files. */
export function syncFolder(folder: string): void {
  const entry = openSync(folder, "r");
  try {
    fsyncSync(entry);
  } finally {
    closeSync(entry);
  }
}
