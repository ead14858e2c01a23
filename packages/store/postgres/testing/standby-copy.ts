import { constants } from "node:fs";
import { copyFile, mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { ServerFolder } from "./server-folder.ts";
import { withConnection } from "./test-database.ts";

const pollMs = 5;
const replayMsMax = 30_000;

/** Belong to the running primary, or are made anew; the log comes over the wire. */
const leftOut = /^(postmaster\.(pid|opts)|(pg_(wal|replslot|dynshmem|notify|subtrans))\/.*)$/;

/** Copies a running server's data so that the copy follows it: pg_basebackup by hand. */
export async function copyForStandby(
  primaryUrl: string,
  primary: ServerFolder,
  standby: ServerFolder,
): Promise<void> {
  await withConnection(primaryUrl, async (client) => {
    await client.query("SELECT pg_backup_start('standby', true)");
    await copyFolder(primary, standby, "");
    const { rows } = await client.query<{ labelfile: string }>(
      "SELECT labelfile FROM pg_backup_stop(false)",
    );
    await writeFile(join(standby.data, "backup_label"), rows[0]?.labelfile ?? "");
  });
  await writeFile(join(standby.data, "standby.signal"), "");
  standby.give(join(standby.data, "backup_label"));
  standby.give(join(standby.data, "standby.signal"));
}

async function copyFolder(from: ServerFolder, to: ServerFolder, path: string): Promise<void> {
  await mkdir(join(to.data, path), { mode: 0o700 });
  to.give(join(to.data, path));
  for (const entry of await readdir(join(from.data, path), { withFileTypes: true })) {
    const inside = path === "" ? entry.name : `${path}/${entry.name}`;
    if (leftOut.test(inside)) continue;
    if (entry.isDirectory()) await copyFolder(from, to, inside);
    else if (entry.isFile()) await copyOne(from, to, inside);
  }
}

async function copyOne(from: ServerFolder, to: ServerFolder, path: string): Promise<void> {
  const target = join(to.data, path);
  try {
    await copyFile(join(from.data, path), target, constants.COPYFILE_FICLONE);
  } catch (error) {
    // The primary goes on meanwhile and removes files; its log says so to the standby.
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return;
    throw error;
  }
  to.give(target);
}

export async function waitForReplay(primaryUrl: string, standbyUrl: string): Promise<void> {
  const lsn = await withConnection(primaryUrl, async (client) => {
    const { rows } = await client.query<{ lsn: string }>(
      "SELECT pg_current_wal_flush_lsn() AS lsn",
    );
    return rows[0]?.lsn ?? "";
  });
  await withConnection(standbyUrl, async (client) => {
    const sql = "SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn AS there";
    const endsAt = performance.now() + replayMsMax;
    while ((await client.query<{ there: boolean }>(sql, [lsn])).rows[0]?.there !== true) {
      if (performance.now() > endsAt) throw new Error(`the standby does not come to ${lsn}`);
      await sleep(pollMs);
    }
  });
}
