import type { RepairAnswer } from "@holdfast/protocol";
import { Command } from "commander";
import { HostClient } from "../host-client.ts";
import { plain, print } from "../print.ts";

type Options = { readonly data?: string; readonly json: boolean };

export function repairRequestCommand(): Command {
  return new Command("repair-request")
    .description("all that is needed to mend the script of a run that failed")
    .argument("<workflow>")
    .argument("<run>")
    .option("--data <folder>", "data folder of the running host")
    .option("--json", "one line of JSON", false)
    .action(run);
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
    `tried again with: holdfast retry ${workflow} ${runId}`,
  ]
    .map((text) => text.split("\n").map(plain).join("\n"))
    .join("\n");
}
