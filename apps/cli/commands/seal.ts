import { text } from "node:stream/consumers";
import { keyPlaceOf, readOrMakeKey, sealText } from "@holdfast/server/seal";
import { Command } from "commander";
import { findPlace, UsageError } from "../store-place.ts";

export function sealCommand(): Command {
  return new Command("seal")
    .option("--data <folder>", "data folder, where the key is made if there is none")
    .action(run);
}

async function run({ data }: { readonly data?: string }): Promise<void> {
  const place = findPlace(data);
  const keyPlace = keyPlaceOf(process.env, place.kind === "folder" ? place.folder : null);
  if (process.stdin.isTTY) console.error("The credential, then Ctrl-D:");
  // Never an argument: those can be read by every user of the machine, and shells keep them.
  const secret = (await text(process.stdin)).replace(/\r?\n$/, "");
  if (secret === "") throw new UsageError("there is nothing on standard input to seal.");
  console.log(JSON.stringify(sealText(secret, readOrMakeKey(keyPlace))));
}
