import type { ResumeAnswer } from "@holdfast/protocol";
import { Command } from "commander";
import { HostClient } from "../host-client.ts";
import { print, table } from "../print.ts";

type Options = { readonly data?: string; readonly json: boolean };

export function resumeAffectedCommand(): Command {
  return new Command("resume-affected")
    .description(
      "after an account was mended: read it again, and resume every run that waits for it",
    )
    .argument("<account>", "its name in the accounts file")
    .option("--data <folder>", "data folder of the running host")
    .option("--json", "one line of JSON", false)
    .action(run);
}

async function run(account: string, { data, json }: Options): Promise<void> {
  const path = `/accounts/${encodeURIComponent(account)}/resume`;
  const answer = await new HostClient({ data }).post<ResumeAnswer>(path, {});
  print(json, answer, () => {
    if (answer.items.length === 0) return `${account} was read again; no run waits for it.`;
    const rows = answer.items.map(({ workflow, runId, accepted, note }) => {
      const became = accepted === null ? "taken in" : accepted ? "resumed" : "refused";
      return [workflow, runId, became, note];
    });
    return table(["workflow", "run", "what became of it", "note"], rows);
  });
}
