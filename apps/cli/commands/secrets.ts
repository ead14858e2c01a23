import { text } from "node:stream/consumers";
import { keyPlaceOf, readOrMakeKey, sealText } from "@holdfast/server/seal";
import { Command } from "commander";
import { example } from "../group.ts";
import { findPlace, UsageError } from "../store-place.ts";

export function secretsCommand(): Command {
  return new Command("secrets").addCommand(sealCommand());
}

function sealCommand(): Command {
  const command = new Command("seal")
    .description("read a credential from standard input, print it sealed for the accounts file")
    .option("--json", "one line of JSON, as in any case", false)
    .option("--data <folder>", "data folder, where the key is made if there is none")
    .action(run);
  return example(command, "secrets seal < credential.txt");
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
