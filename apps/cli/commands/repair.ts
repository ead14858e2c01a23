import type { RepairAnswer } from "@holdfast/protocol";
import { Command } from "commander";
import { example, group } from "../group.ts";
import { HostClient } from "../host-client.ts";
import { field, listing, textOf, time } from "../listing.ts";
import { plain, print } from "../print.ts";

type Options = { readonly data?: string; readonly json: boolean };

export function repairCommand(): Command {
  return group("repair", [listCommand(), showCommand()]);
}

/** The runs that failed because of their script, and that nobody has retried yet. */
function listCommand(): Command {
  return listing("ls", "runs that failed because of their script", {
    path: "runs",
    always: { status: "failed:logic" },
    isNarrowed: true,
    columns: [
      field("run", "runId"),
      field("handler", "handler"),
      field("phase", "phase"),
      time("started", "startedAt"),
      ["retried as", ({ supersededBy }) => textOf(supersededBy)],
      ["why", ({ failure }) => textOf((failure as { message?: unknown } | null)?.message)],
    ],
    examples: ["repair ls orders"],
  });
}

function showCommand(): Command {
  const command = new Command("show")
    .description("all that is needed to mend the script of a run that failed")
    .argument("<workflow>")
    .argument("<run>")
    .option("--data <folder>", "data folder of the running host")
    .option("--json", "one line of JSON", false)
    .action(run);
  return example(command, "repair show orders r12");
}

async function run(workflow: string, runId: string, options: Options): Promise<void> {
  const [of, about] = [encodeURIComponent(workflow), encodeURIComponent(runId)];
  const path = `/workflows/${of}/runs/${about}/repair`;
  const answer = await new HostClient(options).get<RepairAnswer>(path);
  print(options.json, answer, () => told(answer));
}

function told(answer: RepairAnswer): string {
  const { workflow, runId, handler, phase, version, failure, events, phases, source } = answer;
  const reserved = events.map(({ topic, messageId }) => `${topic}/${messageId}`).join(", ");
  return [
    `# ${workflow} ${version}: ${handler} failed while ${phase} (${runId})`,
    `${failure.location}: ${failure.message}`,
    `It had reserved: ${reserved || "nothing"}. It may call: ${answer.allowed.join(", ")}.`,
    "## What it did",
    JSON.stringify(phases, null, 2),
    ...Object.entries(source.files).flatMap(([name, text]) => [`## ${name}`, text]),
    "## What to do",
    `Mend it without changing what it declares, then: holdfast deploy ${source.entry}; the run is`,
    `tried again with: holdfast runs retry ${workflow} ${runId}`,
  ]
    .map((text) => text.split("\n").map(plain).join("\n"))
    .join("\n");
}
