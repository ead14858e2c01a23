import type { WorkflowAnswer } from "@holdfast/protocol";
import { Command } from "commander";
import { HostClient } from "../host-client.ts";
import { print, table, timeText } from "../print.ts";

type Options = { readonly data?: string; readonly json: boolean };
type Answer = { readonly items: readonly WorkflowAnswer[]; readonly next: string | null };

export function workflowsCommand(): Command {
  return new Command("workflows")
    .description("list the workflows of the store")
    .option("--after <workflow>", "those after this one")
    .option("--data <folder>", "data folder of the running host")
    .option("--json", "one line of JSON", false)
    .action(run);
}

async function run(options: Options & { readonly after?: string }): Promise<void> {
  const answer = await new HostClient(options).get<Answer>("/workflows", { after: options.after });
  print(options.json, answer, () => {
    const rows = answer.items.map(({ workflow, records, owner, dueAt }) => {
      return [workflow, String(records), owner ?? "–", timeText(dueAt)];
    });
    return table(["workflow", "records", "worked on by", "next due"], rows);
  });
}
