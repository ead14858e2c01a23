import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { writeSampleHistory } from "@holdfast/host/testing";
import { openPostgresStore } from "@holdfast/store/postgres";
import { openSqliteStore } from "@holdfast/store/sqlite";
import { withConnection } from "@holdfast/store/testing/postgres";
import { expect } from "vitest";
import { newFolder, runBeside, runOffline, type StorePlace } from "./host-process.ts";

export const newFile = () => join(newFolder(), "store.export");

export async function exportTo(store: StorePlace, file: string): Promise<void> {
  const done = await runOffline(store, "export", file, "--with-state");
  expect([done.code, done.out]).toEqual([0, expect.stringContaining("has ended here")]);
}

export async function importFrom(store: StorePlace, file: string): Promise<void> {
  const done = await runOffline(store, "import", file);
  expect([done.code, done.out]).toEqual([0, expect.stringContaining("from now on")]);
}

/** `workflow seq hash` of every record, in order. */
export async function chainOf(store: StorePlace): Promise<readonly string[]> {
  const columns = "workflow || ' ' || seq || ' ' || hash AS line";
  if (store.kind === "postgres") {
    const sql = `SELECT ${columns} FROM holdfast.journal ORDER BY workflow, journal.seq`;
    return withConnection(store.url, async (client) => {
      return (await client.query(sql)).rows.map(({ line }) => String(line));
    });
  }
  const database = new DatabaseSync(join(store.folder, "holdfast.db"), { readOnly: true });
  try {
    const sql = `SELECT ${columns} FROM journal ORDER BY workflow, journal.seq`;
    return database
      .prepare(sql)
      .all()
      .map(({ line }) => String(line));
  } finally {
    database.close();
  }
}

/** Two workflows, each with a call that was applied, one that nobody knows of, and an event. */
export async function fillStore(place: StorePlace): Promise<void> {
  const options = { clock: () => Date.now(), newIncarnation: () => "a-store" };
  const opening =
    place.kind === "sqlite"
      ? openSqliteStore({ folder: place.folder, ...options })
      : openPostgresStore({ url: place.url, newIncarnation: options.newIncarnation });
  const store = await opening;
  for (const workflow of ["orders", "returns"]) await writeSampleHistory(store, workflow);
  await store.close();
}

type Death = { readonly among: string; readonly at: number };

/** A command that is killed at a point it passes; code null = it was. */
export async function runToDeath(store: StorePlace, { among, at }: Death, ...words: string[]) {
  const preload = fileURLToPath(new URL("./die-at.ts", import.meta.url));
  const environment = { NODE_OPTIONS: `--import ${preload}`, DIE_AMONG: among, DIE_AT: String(at) };
  return runBeside({ store, accountsFile: "", environment }, ...words);
}
