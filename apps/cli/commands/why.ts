import { Command } from "commander";
import { example } from "../group.ts";
import { HostClient } from "../host-client.ts";
import { plain, print } from "../print.ts";

type Options = { readonly data?: string; readonly json: boolean };
type Answer = {
  readonly state: string;
  readonly text: string;
  readonly because: readonly { readonly text: string }[];
  readonly workflow: {
    readonly wedges: readonly { readonly id: string; readonly note: string }[];
    readonly skippedFirings: readonly { readonly text: string }[];
  } | null;
  readonly input: { readonly story: readonly Answer[] } | null;
};

export function whyCommand(): Command {
  const command = new Command("why")
    .argument("<workflow>")
    .argument("[id]", "run, mutation, question, topic/messageId, messageId, input or handler")
    .option("--data <folder>", "data folder of the running host")
    .option("--json", "one line of JSON", false)
    .addHelpText("after", "\nExamples:\n  holdfast why orders\n  holdfast why orders o-17")
    .action(run);
  return example(command, "why orders", "why orders r12", "why orders order.received/o-1");
}

async function run(workflow: string, id: string | undefined, options: Options): Promise<void> {
  const about = id === undefined ? "" : `/${encodeURIComponent(id)}`;
  const path = `/workflows/${encodeURIComponent(workflow)}/why${about}`;
  const answer = await new HostClient(options).get<Answer>(path);
  print(options.json, answer, () => told(answer));
}

function told({ text, input, workflow }: Answer): string {
  const story = (input?.story ?? []).map((each) => `  ${plain(each.text)}`);
  const wedges = (workflow?.wedges ?? []).map(
    ({ id, note }) => `  UNEXPLAINED  ${plain(id)}: ${plain(note)}`,
  );
  const skipped = (workflow?.skippedFirings ?? []).map((each) => `  ${plain(each.text)}`);
  return [plain(text), ...wedges, ...skipped, ...story].join("\n");
}
