import type { PolicyValue } from "@holdfast/protocol";
import { Command } from "commander";
import { example } from "../group.ts";
import { HostClient } from "../host-client.ts";
import { print, table } from "../print.ts";

type Options = { readonly data?: string; readonly json: boolean };
type Answer = { readonly items: readonly PolicyValue[] };

const origins: Readonly<Record<PolicyValue["from"], string>> = {
  default: "default",
  all: "policy file, for all",
  environment: "environment",
  workflow: "policy file, for this workflow",
  connection: "policy file, for this connection",
  operation: "policy file, for this operation",
};

export function policiesCommand(): Command {
  const command = new Command("policies")
    .argument("[workflow]", "without one: what counts where nothing is said for a workflow")
    .argument("[call]", "only what counts for calls of a connection, or of connection.operation")
    .option("--data <folder>", "data folder of the running host")
    .option("--json", "one line of JSON", false)
    .action(run);
  return example(command, "policies", "policies orders", "policies orders shop.post");
}

async function run(
  workflow: string | undefined,
  call: string | undefined,
  options: Options,
): Promise<void> {
  const path =
    workflow === undefined ? "/policy" : `/workflows/${encodeURIComponent(workflow)}/policy`;
  const answer = await new HostClient(options).get<Answer>(path, queryOf(call));
  print(options.json, answer, () => {
    const rows = answer.items.map(({ name, value, from }) => [name, String(value), origins[from]]);
    return table(["limit", "value", "from"], rows);
  });
}

function queryOf(call: string | undefined): Readonly<Record<string, string | undefined>> {
  if (call === undefined) return {};
  const dot = call.indexOf(".");
  if (dot < 0) return { connection: call };
  return { connection: call.slice(0, dot), operation: call.slice(dot + 1) };
}
