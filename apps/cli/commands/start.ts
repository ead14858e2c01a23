import { Command } from "commander";

export function startCommand(): Command {
  return new Command("start")
    .description("work: open the store, verify it, run the deployed workflows, serve the API")
    .option("--data <folder>", "data folder of a store on SQLite")
    .option("--check", "end after verifying", false)
    .action(run);
}

type Options = { readonly data?: string; readonly check: boolean };

async function run({ data, check }: Options): Promise<void> {
  if (data !== undefined) process.env["HOLDFAST_DATA"] = data;
  process.argv.splice(2, Number.POSITIVE_INFINITY, ...(check ? ["--check"] : []));
  await import("@holdfast/server");
}
