import { userInfo } from "node:os";
import { type Exported, exportStore } from "@holdfast/host";
import { Command } from "commander";
import { openDeparting } from "../open-store.ts";
import { print } from "../print.ts";
import { findPlace, UsageError } from "../store-place.ts";

type Options = { readonly withState: boolean; readonly data?: string; readonly json: boolean };

export function exportCommand(): Command {
  return new Command("export")
    .argument("<file>", "where all of it goes; `import` takes it from there")
    .option(
      "--with-state",
      "the file holds what producers remember, in full; it is recorded who said so",
      false,
    )
    .option("--data <folder>", "data folder, if the store is on SQLite")
    .option("--json", "one line of JSON", false)
    .addHelpText("after", help)
    .action(run);
}

const help = `
The store is ended by it: no host starts on it any more. It goes on where the file is imported.

Examples:
  holdfast export shop.export --with-state
  HOLDFAST_POSTGRES_URL=postgres://owner@db.example.com/shop holdfast import shop.export`;

async function run(path: string, { withState, data, json }: Options): Promise<void> {
  if (!withState) {
    throw new UsageError(
      "an export moves a whole store, and holds the state and the stored values of its producers " +
        "in full. Say --with-state if that file may have them; nothing was opened",
    );
  }
  const source = await openDeparting(findPlace(data));
  try {
    const done = await exportStore(source, { path, by: userInfo().username, at: Date.now() });
    print(json, { ok: true, ...done }, () => inWords(done));
  } finally {
    await source.close();
  }
}

function inWords({ workflowCount, recordCount, file, hash, storeIncarnation }: Exported): string {
  return [
    `${workflowCount} workflows with ${recordCount} records are in ${file} (${hash})`,
    `the store ${storeIncarnation} has ended here; it goes on where that file is imported`,
  ].join("\n");
}
