import type { JournalAnswer } from "@holdfast/protocol";
import { Command } from "commander";
import { example, onHost } from "../group.ts";
import { HostClient } from "../host-client.ts";
import { field, listing, time } from "../listing.ts";
import { plain, print, timeText } from "../print.ts";

type Options = {
  readonly data?: string;
  readonly json: boolean;
  readonly after?: string;
  readonly limit?: string;
  readonly follow: boolean;
};

/** Often enough to seem at once, and seldom enough to cost nothing. */
const lookEveryMs = 500;

export function journalCommand(): Command {
  const tail = onHost(
    new Command("tail").description("the last facts of a workflow, as they were recorded"),
  )
    .argument("<workflow>")
    .option("--after <position>", "those after this position")
    .option("--limit <count>", "so many at once")
    .option("--follow", "go on with those that come, until Ctrl-C", false)
    .action(run);
  const ls = listing("ls", "facts, the newest first", {
    path: "facts",
    isNarrowed: true,
    words: { kind: "of this kind, or whose kind begins so: run, mutation, item_failed" },
    columns: [
      field("position", "seq"),
      time("when", "at"),
      field("kind", "kind"),
      field("what", "fact"),
    ],
    examples: ["journal ls orders --kind mutation", "journal ls orders --text m12"],
  });
  return new Command("journal")
    .addCommand(example(tail, "journal tail orders", "journal tail orders --follow --json"))
    .addCommand(ls);
}

async function run(workflow: string, options: Options): Promise<void> {
  const { json, limit, follow } = options;
  const path = `/workflows/${encodeURIComponent(workflow)}/journal`;
  const client = new HostClient(options);
  for (let after = options.after; ; ) {
    const answer = await client.get<JournalAnswer>(path, { after, limit });
    if (!follow) return print(json, answer, () => answer.items.map(line).join("\n"));
    for (const each of answer.items) print(json, each, () => line(each));
    after = String(answer.next);
    if (answer.next >= answer.head) await new Promise((done) => setTimeout(done, lookEveryMs));
  }
}

function line({ seq, at, kind, fact }: JournalAnswer["items"][number]): string {
  return plain(`${seq} ${timeText(at)} ${kind} ${JSON.stringify(fact)}`);
}
