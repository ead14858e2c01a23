import type { PolicyValue } from "@holdfast/protocol";
import { Command } from "commander";
import { HostClient } from "../host-client.ts";
import { print, table } from "../print.ts";

type Options = { readonly data?: string; readonly json: boolean };
type Answer = { readonly items: readonly PolicyValue[] };

const origins: Readonly<Record<PolicyValue["from"], string>> = {
  default: "default",
  all: "policy file, for all",
  environment: "environment",
  workflow: "policy file, for this workflow",
};

export function policyCommand(): Command {
  return new Command("policy")
    .description("show the limits and timings of a workflow, and where each comes from")
    .argument("<workflow>")
    .option("--data <folder>", "data folder of the running host")
    .option("--json", "one line of JSON", false)
    .action(run);
}

async function run(workflow: string, options: Options): Promise<void> {
  const path = `/workflows/${encodeURIComponent(workflow)}/policy`;
  const answer = await new HostClient(options).get<Answer>(path);
  print(options.json, answer, () => {
    const rows = answer.items.map(({ name, value, from }) => [name, String(value), origins[from]]);
    return table(["limit", "value", "from"], rows);
  });
}
