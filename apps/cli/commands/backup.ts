import { join } from "node:path";
import { Command } from "commander";
import { copyDatabase } from "../open-store.ts";
import { findPlace, UsageError } from "../store-place.ts";

type Options = { readonly data?: string; readonly json: boolean };

export function backupCommand(): Command {
  return new Command("backup")
    .argument("<folder>", "where the copy goes; `restore` takes it from there")
    .option("--data <folder>", "data folder, if it is not the usual one")
    .option("--json", "one line of JSON", false)
    .action(run);
}

async function run(into: string, { data, json }: Options): Promise<void> {
  const place = findPlace(data);
  if (place.kind === "postgres") {
    throw new UsageError(
      "a store on PostgreSQL is backed up with the tools of PostgreSQL; " +
        "see docs/operating/postgresql.md#backup",
    );
  }
  const { path } = await copyDatabase(place.folder, into);
  if (json) console.log(JSON.stringify({ ok: true, path }));
  else console.log(`${join(place.folder, "holdfast.db")} is copied to ${path}`);
}
