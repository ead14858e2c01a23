import { Command } from "commander";
import { acceptRestoredStore } from "../open-store.ts";
import { requireUrl } from "../store-place.ts";

type Options = { readonly ledgerCompared: boolean; readonly json: boolean };

export function acceptRestoredCommand(): Command {
  return new Command("accept-restored")
    .description("go on with a PostgreSQL database that was restored or has failed over")
    .option(
      "--ledger-compared",
      "what was sent since is known: docs/errors/STORE_RESTORED.md was read and followed",
      false,
    )
    .option("--json", "one line of JSON", false)
    .action(run);
}

async function run({ ledgerCompared, json }: Options): Promise<void> {
  const url = requireUrl();
  const { before, now } = await acceptRestoredStore(url, { isAnsweredFor: ledgerCompared });
  const accepted = before !== now;
  if (json) console.log(JSON.stringify({ ok: true, accepted, before, now }));
  else if (accepted) console.log(`the store was ${before} and is ${now} from now on`);
  else console.log(`there is nothing to accept: the store is ${now}, as it was last used`);
}
