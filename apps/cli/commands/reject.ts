import type { VerdictAnswer } from "@holdfast/protocol";
import { Command } from "commander";
import { example } from "../group.ts";
import { HostClient } from "../host-client.ts";
import { print } from "../print.ts";
import { questionPath } from "./approve.ts";

type Options = {
  readonly data?: string;
  readonly json: boolean;
  readonly reason: string;
  readonly then: string;
};

export function rejectCommand(): Command {
  const command = new Command("reject")
    .argument("<workflow>")
    .argument("<question>", "as `attention` lists it")
    .requiredOption("--reason <text>", "why, for whoever looks at it later")
    .requiredOption("--then <way>", "skip: go on without the call; stop: pause the workflow")
    .option("--data <folder>", "data folder of the running host")
    .option("--json", "one line of JSON", false)
    .action(run);
  return example(command, "reject orders a12 --reason 'wrong sum' --then skip");
}

async function run(workflow: string, question: string, options: Options): Promise<void> {
  const { data, json, reason, then } = options;
  const client = new HostClient({ data });
  const given = { answer: "reject", reason, then };
  const verdict = await client.post<VerdictAnswer>(questionPath(workflow, question), given);
  print(json, verdict, () => verdict.note);
}
