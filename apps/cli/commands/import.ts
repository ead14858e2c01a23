import { userInfo } from "node:os";
import { type Imported, importStore } from "@holdfast/host";
import { Command } from "commander";
import { openArriving } from "../open-store.ts";
import { print } from "../print.ts";
import { findPlace } from "../store-place.ts";

type Options = { readonly data?: string; readonly json: boolean };

export function importCommand(): Command {
  return new Command("import")
    .argument("<file>", "what `export` has written")
    .option("--data <folder>", "data folder, if it is to be on SQLite")
    .option("--json", "one line of JSON", false)
    .addHelpText("after", help)
    .action(run);
}

const help = `
Only into a place without a store, or an empty one. Every workflow then has its brake on and asks
one question; nothing is sent before it is answered.

Examples:
  HOLDFAST_POSTGRES_URL=postgres://owner@db.example.com/shop holdfast import shop.export
  holdfast import shop.export --data /srv/shop`;

async function run(path: string, { data, json }: Options): Promise<void> {
  const place = findPlace(data);
  const [by, at] = [userInfo().username, Date.now()];
  const done = await importStore({ path, by, at, open: () => openArriving(place) });
  print(json, { ok: true, ...done }, () => inWords(done));
}

function inWords(done: Imported): string {
  const { workflowCount, recordCount, restoredFrom, storeIncarnation } = done;
  return [
    `${workflowCount} workflows with ${recordCount} records were imported; nothing differs`,
    `the store was ${restoredFrom} and is ${storeIncarnation} from now on`,
    "Every workflow has its brake on and asks: `holdfast attention`, once a host runs.",
  ].join("\n");
}
