import { Command } from "commander";
import { acceptRestoredStore, copyDatabase } from "../open-store.ts";
import { findPlace, UsageError } from "../store-place.ts";

type Options = { readonly data?: string; readonly json: boolean; readonly ledgerCompared: boolean };

export function restoreCommand(): Command {
  return new Command("restore")
    .argument("<folder>", "where `backup` has put it")
    .option(
      "--ledger-compared",
      "what was sent since is known: docs/errors/STORE_RESTORED.md was read and followed",
      false,
    )
    .option("--data <folder>", "data folder, if it is not the usual one")
    .option("--json", "one line of JSON", false)
    .action(run);
}

/** Nothing is sent from it before a person has answered for every workflow. */
async function run(from: string, { data, json, ledgerCompared }: Options): Promise<void> {
  const place = findPlace(data);
  if (place.kind === "postgres") {
    throw new UsageError("a store on PostgreSQL is restored with the tools of PostgreSQL");
  }
  if (!ledgerCompared) {
    throw new UsageError(
      "what was sent after the backup is not in it. Read docs/errors/STORE_RESTORED.md, " +
        "then say --ledger-compared; nothing was changed",
    );
  }
  const { path } = await copyDatabase(from, place.folder);
  const word = { isAnsweredFor: true, isUnnoticed: true };
  const { before, now } = await acceptRestoredStore(place, word);
  if (json) console.log(JSON.stringify({ ok: true, path, before, now }));
  else {
    console.log(`${path} is the store ${now} from now on; it was ${before}`);
    console.log("Next: holdfast verify --full, holdfast start, holdfast attention");
  }
}
