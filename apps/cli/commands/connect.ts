import type { ConnectionsAnswer, ResumeAnswer, RevokeAnswer } from "@holdfast/protocol";
import { Command } from "commander";
import { example, group, onHost } from "../group.ts";
import { HostClient } from "../host-client.ts";
import { print, table } from "../print.ts";

type Options = { readonly data?: string; readonly json: boolean };

export function connectCommand(): Command {
  return group("connect", [listCommand(), resumeCommand(), revokeCommand()]);
}

function listCommand(): Command {
  const description = "the connections of a workflow: account, state, labels; never a secret";
  const command = onHost(new Command("ls").description(description).argument("<workflow>"));
  command.action(async (workflow: string, options: Options) => {
    const path = `/workflows/${encodeURIComponent(workflow)}/connections`;
    const answer = await new HostClient(options).get<ConnectionsAnswer>(path);
    print(options.json, answer, () => {
      const rows = answer.items.flatMap(({ connection, connector, account, state, operations }) => {
        const of = [connection, connector, account ?? "–", state];
        const labels = operations.flatMap(({ operation, labels: all }) =>
          all.map(({ label }) => [...of, operation, label]),
        );
        return labels.length === 0 ? [[...of, "", ""]] : labels;
      });
      return table(["connection", "connector", "account", "state", "operation", "label"], rows);
    });
  });
  return example(command, "connect ls orders");
}

function resumeCommand(): Command {
  const command = new Command("resume")
    .description(
      "after an account was mended: read it again, and resume every run that waits for it",
    )
    .argument("<account>", "its name in the accounts file")
    .option("--data <folder>", "data folder of the running host")
    .option("--json", "one line of JSON", false)
    .action(run);
  return example(command, "connect resume shop");
}

function revokeCommand(): Command {
  const description = "after an account was taken out of the file: forget it at once";
  const command = onHost(
    new Command("revoke")
      .description(description)
      .argument("<account>", "its name, as the accounts file had it"),
  );
  command.action(async (account: string, options: Options) => {
    const path = `/accounts/${encodeURIComponent(account)}/revoke`;
    const answer = await new HostClient(options).post<RevokeAnswer>(path, {});
    print(options.json, answer, () => `${account} is forgotten; what needs it asks a person.`);
  });
  return example(command, "connect revoke shop");
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
