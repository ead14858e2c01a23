import type { DeployAnswer, DeployRequest } from "@holdfast/protocol";
import { Command } from "commander";
import { HostClient } from "../host-client.ts";
import { print } from "../print.ts";
import { readScript } from "../read-script.ts";

type Options = {
  readonly data?: string;
  readonly json: boolean;
  readonly allow: readonly string[];
  readonly major: boolean;
};

export function deployCommand(): Command {
  return new Command("deploy")
    .description("validate a script and make it the active version of its workflow")
    .argument("<file>", "the script; files it imports are taken from its folder")
    .option("--allow <operation...>", "connection.operation that it may use outside, reads too", [])
    .option("--major", "a new major version: topics, handlers and schedules may change", false)
    .option("--data <folder>", "data folder of the running host")
    .option("--json", "one line of JSON", false)
    .addHelpText("after", "\nExample:\n  holdfast deploy orders.ts --allow shop.list shop.post")
    .action(run);
}

async function run(file: string, { data, json, allow, major }: Options): Promise<void> {
  const source = readScript(file);
  const request: DeployRequest = {
    source: { entry: source.entry, files: { ...source.files } },
    allow: [...allow],
    bump: major ? "major" : "minor",
  };
  const client = new HostClient({ data });
  const answer = await client.post<DeployAnswer>("/versions", request);
  print(json, answer, () => told(answer));
}

function told({ workflow, version, accepted, changed, note, missing }: DeployAnswer): string {
  const done = accepted === null ? `is on its way: ${note}` : "is active";
  const first = changed ? `${workflow} ${version} ${done}.` : `${note}.`;
  if (missing.length === 0) return first;
  return [
    first,
    `It uses what was not allowed: ${missing.join(", ")}. Such a run waits for a person.`,
    `To allow it, deploy again with --allow ${missing.join(" ")} and what was allowed before.`,
  ].join("\n");
}
