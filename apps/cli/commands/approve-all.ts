import { Command } from "commander";
import { answerAlike, type BatchOptions } from "../batch-answers.ts";
import { example } from "../group.ts";

export function approveAllCommand(): Command {
  const command = new Command("approve-all")
    .argument("<operation>", "such as shop.post")
    .option("--these <digest>", "agree to exactly those that were shown with this digest")
    .option("--workflow <workflow>", "only those of this workflow")
    .option("--data <folder>", "data folder of the running host")
    .option("--json", "one line of JSON", false)
    .addHelpText(
      "after",
      "\nExample:\n  holdfast approve-all shop.post            # shows them by shape" +
        "\n  holdfast approve-all shop.post --these 3f9a1c02d7e4b865",
    )
    .action(run);
  return example(command, "approve-all shop.post", "approve-all shop.post --these <digest>");
}

async function run(operation: string, options: BatchOptions): Promise<void> {
  await answerAlike(
    {
      operation,
      command: `approve-all ${operation}`,
      done: "agreed to",
      counted: "agreed",
      given: ({ call }) => {
        const { payloadHash, previewHash } = call?.approval ?? {};
        return { answer: "approve", payloadHash, previewHash };
      },
    },
    options,
  );
}
