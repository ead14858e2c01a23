import { Command } from "commander";

export function startCommand(): Command {
  return new Command("start")
    .option("--data <folder>", "data folder of a store on SQLite")
    .option("--check", "end after verifying", false)
    .option("--listen <address>", "where the API is reached (default 127.0.0.1)")
    .option("--insecure-listen", "elsewhere than on loopback also without TLS", false)
    .action(run);
}

type Options = {
  readonly data?: string;
  readonly check: boolean;
  readonly listen?: string;
  readonly insecureListen: boolean;
};

async function run({ data, check, listen, insecureListen }: Options): Promise<void> {
  if (data !== undefined) process.env["HOLDFAST_DATA"] = data;
  if (listen !== undefined) process.env["HOLDFAST_LISTEN"] = listen;
  const words = [check ? "--check" : [], insecureListen ? "--insecure-listen" : []].flat();
  process.argv.splice(2, Number.POSITIVE_INFINITY, ...words);
  await import("@holdfast/server");
}
