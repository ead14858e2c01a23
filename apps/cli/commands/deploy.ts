import type { DeployAnswer, DeployRequest } from "@holdfast/protocol";
import { Command } from "commander";
import { HostClient } from "../host-client.ts";
import { print } from "../print.ts";
import { readScript } from "../read-script.ts";
import { UsageError } from "../store-place.ts";

type Options = {
  readonly data?: string;
  readonly json: boolean;
  readonly allow?: readonly string[];
  readonly ask?: readonly string[];
  readonly major: boolean;
  readonly progress?: string;
  readonly select?: readonly string[];
  readonly selectItems?: readonly string[];
  readonly leaveBehind: boolean;
  readonly keepGrants: boolean;
  readonly preview: boolean;
};

export function deployCommand(): Command {
  return new Command("deploy")
    .argument("<file>", "the script; files it imports are taken from its folder")
    .option("--allow <operation...>", "connection.operation that it may use outside, reads too")
    .option("--ask <operation...>", "connection.operation that a person agrees to, call by call")
    .option("--major", "a new major version: topics, handlers and schedules may change", false)
    .option("--progress <what>", "of a major version: keep (default), or fresh: all once more")
    .option("--select <input...>", "of a major version: what these inputs caused once more")
    .option("--select-items <item...>", "of a major version: new attempts of these items")
    .option("--leave-behind", "pending events that nobody would work off may be left", false)
    .option("--keep-grants", "they hold for connections that lead to other accounts too", false)
    .option("--preview", "only tell what would come of it", false)
    .option("--data <folder>", "data folder of the running host")
    .option("--json", "one line of JSON", false)
    .addHelpText("after", "\nExample:\n  holdfast deploy orders.ts --allow shop.list shop.post")
    .action(run);
}

async function run(file: string, options: Options): Promise<void> {
  const { data, json, allow, ask, major, leaveBehind, keepGrants, preview } = options;
  const source = readScript(file);
  const request: DeployRequest = {
    source: { entry: source.entry, files: { ...source.files } },
    ...(allow === undefined ? {} : { allow: [...allow] }),
    ...(ask === undefined ? {} : { ask: [...ask] }),
    bump: major ? "major" : "minor",
    progress: progressOf(options),
    leaveBehind,
    keepGrants,
    preview,
  };
  const client = new HostClient({ data });
  const answer = await client.post<DeployAnswer>("/versions", request);
  print(json, answer, () => told(answer));
}

function progressOf(options: Options): DeployRequest["progress"] {
  const { progress = "keep", select, selectItems } = options;
  if (select !== undefined || selectItems !== undefined) {
    return { select: [...(select ?? [])], items: [...(selectItems ?? [])] };
  }
  if (progress === "keep" || progress === "fresh") return progress;
  throw new UsageError(`--progress is keep or fresh, not ${progress}`);
}

function told(answer: DeployAnswer): string {
  const { workflow, version, accepted, changed, note, missing, orphans, grants, proposal } = answer;
  const left = [
    ...orphans.map((each) => `It leaves behind: ${each}.`),
    ...answer.elsewhere.map((each) => `Another account: ${each}.`),
    ...answer.mutations.map(({ operation, labels }) => `It may ${operation}: ${inWords(labels)}.`),
    ...grants,
  ];
  if (proposal !== null) return [...proposedAs(answer, proposal), ...left].join("\n");
  const done = accepted === null ? `is on its way: ${note}` : "is active";
  const first = changed ? `${workflow} ${version} ${done}.` : `${note}.`;
  if (missing.length === 0) return [first, ...left].join("\n");
  return [
    first,
    ...left,
    `It uses what was not allowed: ${missing.join(", ")}. Such a run waits for a person.`,
    `To allow it: holdfast grants set ${workflow} --file <grants.json>`,
  ].join("\n");
}

export function proposedAs(
  { workflow, version, note }: DeployAnswer,
  number: number,
): readonly string[] {
  return [
    `${workflow} ${version} is not active: it changes what machines are, so it is ${note}.`,
    `Next: holdfast machine shadow ${workflow} ${number}`,
  ];
}

/** What happens when an answer is lost: docs/connectors.md. */
function inWords(labels: DeployAnswer["mutations"][number]["labels"]): string {
  if (labels.length === 0) return "what can be relied on is known call by call";
  if (labels.length === 1) return labels[0]?.label ?? "";
  return labels.map(({ of, label }) => `${label} (${of ?? "all else"})`).join("; ");
}
