import { Command } from "commander";
import { answerAlike, type BatchOptions } from "../batch-answers.ts";
import { example } from "../group.ts";

type Options = BatchOptions & { readonly reason: string; readonly then: string };

export function rejectAllCommand(): Command {
  const command = new Command("reject-all")
    .argument("<operation>", "such as shop.post")
    .requiredOption("--reason <text>", "why, for whoever looks at it later")
    .requiredOption("--then <way>", "skip: go on without the call; stop: pause the workflow")
    .option("--these <digest>", "reject exactly those that were shown with this digest")
    .option("--workflow <workflow>", "only those of this workflow")
    .option("--data <folder>", "data folder of the running host")
    .option("--json", "one line of JSON", false)
    .action(run);
  return example(
    command,
    "reject-all shop.post --reason 'wrong sums' --then skip",
    "reject-all shop.post --reason 'wrong sums' --then skip --these <digest>",
  );
}

async function run(operation: string, options: Options): Promise<void> {
  const { reason, then } = options;
  await answerAlike(
    {
      operation,
      command: `reject-all ${operation} --reason ${JSON.stringify(reason)} --then ${then}`,
      done: "rejected",
      counted: "rejected",
      given: () => ({ answer: "reject", reason, then }),
    },
    options,
  );
}
