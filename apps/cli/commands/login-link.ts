import type { LoginCodeAnswer } from "@holdfast/protocol";
import { Command } from "commander";
import { example } from "../group.ts";
import { HostClient } from "../host-client.ts";
import { print, timeText } from "../print.ts";

type Options = { readonly data?: string; readonly json: boolean };

export function loginLinkCommand(): Command {
  const command = new Command("login-link")
    .option("--data <folder>", "data folder of the running host")
    .option("--json", "one line of JSON", false)
    .action(run);
  return example(command, "login-link");
}

async function run(options: Options): Promise<void> {
  const client = new HostClient(options);
  const { code, expiresAt } = await client.post<LoginCodeAnswer>("/login-codes", {});
  const link = `${client.url}/login#${code}`;
  print(options.json, { link, expiresAt }, () => `${link}\nuntil ${timeText(expiresAt)}, once`);
}
