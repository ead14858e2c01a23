import { Command } from "commander";
import { acceptRestoredStore } from "../open-store.ts";
import { findPlace } from "../store-place.ts";

type Options = {
  readonly ledgerCompared: boolean;
  readonly unnoticed: boolean;
  readonly exported: boolean;
  readonly data?: string;
  readonly json: boolean;
};

export function acceptRestoredCommand(): Command {
  return new Command("accept-restored")
    .option(
      "--ledger-compared",
      "what was sent since is known: docs/errors/STORE_RESTORED.md was read and followed",
      false,
    )
    .option(
      "--unnoticed",
      "it was restored in a way Holdfast cannot see, such as the snapshot of a disk or machine",
      false,
    )
    .option(
      "--exported",
      "it was exported, and goes on here: docs/errors/STORE_EXPORTED.md was read and followed",
      false,
    )
    .option("--data <folder>", "data folder, if the store is on SQLite")
    .option("--json", "one line of JSON", false)
    .action(run);
}

async function run(options: Options): Promise<void> {
  const { ledgerCompared, unnoticed, exported, data, json } = options;
  const place = findPlace(data);
  const word = { isAnsweredFor: ledgerCompared, isUnnoticed: unnoticed, isExported: exported };
  const { before, now } = await acceptRestoredStore(place, word);
  const accepted = before !== now;
  if (json) console.log(JSON.stringify({ ok: true, accepted, before, now }));
  else if (accepted) console.log(`the store was ${before} and is ${now} from now on`);
  else console.log(`there is nothing to accept: the store is ${now}, as it was last used`);
}
