import { readFileSync } from "node:fs";
import type {
  GrantsAnswer,
  GrantsDiffAnswer,
  GrantsNeededAnswer,
  GrantsRequest,
  GrantsSetAnswer,
} from "@holdfast/protocol";
import { Command } from "commander";
import { example, group } from "../group.ts";
import { HostClient } from "../host-client.ts";
import { plain, print, timeText } from "../print.ts";
import { UsageError } from "../store-place.ts";
import { allowLikeCommand } from "./allow-like.ts";

type Common = { readonly data?: string; readonly json: boolean };

export function grantsCommand(): Command {
  return group("grants", [
    example(showCommand(), "grants show orders", "grants show orders --number 2"),
    example(setCommand(), "grants set orders --file grants.json --preview"),
    example(diffCommand(), "grants diff orders --from 1 --to 2"),
    example(neededCommand(), "grants needed orders"),
    example(
      allowLikeCommand(),
      "grants allow-like orders a12 --text /ref --limit day=20 --until 2027-01-01 --preview",
    ),
  ]);
}

function common(command: Command): Command {
  return command
    .argument("<workflow>")
    .option("--data <folder>", "data folder of the running host")
    .option("--json", "one line of JSON", false);
}

function pathOf(workflow: string): string {
  return `/workflows/${encodeURIComponent(workflow)}/grants`;
}

function showCommand(): Command {
  return common(new Command("show").description("show the grants in force, or earlier ones"))
    .option("--number <number>", "of an envelope that is no longer in force")
    .action(async (workflow: string, options: Common & { readonly number?: string }) => {
      const { number, json } = options;
      const client = new HostClient(options);
      const answer = await client.get<GrantsAnswer>(pathOf(workflow), { number });
      print(json, answer, () => shown(answer));
    });
}

function shown({ number, setBy, setAt, said, about, missing }: GrantsAnswer): string {
  const first =
    number === 0 ? "Nothing is granted." : `Envelope ${number}, set by ${setBy} ${timeText(setAt)}`;
  const lacks = `The active version uses what no grant names: ${missing.join(", ")}.`;
  const lines = said.flatMap((each, index) => {
    const more = narrowed(about[index] ?? null);
    return [`${index + 1}. ${each}`, ...(more === null ? [] : [`   ${more}`])];
  });
  return [first, ...lines, ...(missing.length === 0 ? [] : [lacks])].map(plain).join("\n");
}

/** Null = this host knows nothing of it. */
function narrowed(about: GrantsAnswer["about"][number]): string | null {
  if (about === null) return null;
  const { capability, risk, limited, open, unenforceable } = about;
  const named = (what: string, names: readonly string[]) => {
    return names.length === 0 ? [] : [`${what}: ${names.join(", ")}`];
  };
  const parts = [
    `${capability}, ${risk} risk`,
    ...named("limited", limited),
    ...named("not limited", open),
    ...named("no grant can limit", unenforceable),
  ];
  return parts.join("; ");
}

function setCommand(): Command {
  return common(new Command("set").description("set all grants of a workflow"))
    .requiredOption("--file <grants.json>", "the list; what is not in it is denied")
    .option("--preview", "only tell what would change", false)
    .action(
      async (workflow: string, options: Common & { file: string; readonly preview: boolean }) => {
        const { json, file, preview } = options;
        const request: GrantsRequest = { grants: readGrantsFile(file), preview };
        const answer = await new HostClient(options).post<GrantsSetAnswer>(
          pathOf(workflow),
          request,
        );
        print(json, answer, () => changed(answer, preview ? "" : answer.note));
      },
    );
}

function diffCommand(): Command {
  return common(new Command("diff").description("compare two envelopes, or a file with what is"))
    .option("--file <grants.json>", "a list that is not in force")
    .option("--from <number>", "the earlier envelope (default: the one before)")
    .option("--to <number>", "the later envelope (default: the one in force)")
    .action(
      async (
        workflow: string,
        options: Common & { readonly file?: string; readonly from?: string; readonly to?: string },
      ) => {
        const { json, file, from, to } = options;
        const client = new HostClient(options);
        const path = pathOf(workflow);
        const answer =
          file === undefined
            ? await client.get<GrantsDiffAnswer>(`${path}/diff`, { from, to })
            : await client.post<GrantsDiffAnswer>(path, {
                grants: readGrantsFile(file),
                preview: true,
              });
        print(json, answer, () => changed(answer, ""));
      },
    );
}

function neededCommand(): Command {
  return common(new Command("needed").description("what the workflow uses and has tried to use"))
    .option("--suggest", "print grants for all of it, to be edited and set; grants nothing", false)
    .action(async (workflow: string, options: Common & { readonly suggest: boolean }) => {
      const { json, suggest } = options;
      const client = new HostClient(options);
      const answer = await client.get<GrantsNeededAnswer>(`${pathOf(workflow)}/needed`);
      if (suggest) console.log(JSON.stringify(answer.suggested, null, 2));
      else print(json, answer, () => needs(answer));
    });
}

function needs({ items }: GrantsNeededAnswer): string {
  if (items.length === 0) return "It uses nothing outside.";
  return items.map((each) => plain(need(each))).join("\n");
}

function need(item: GrantsNeededAnswer["items"][number]): string {
  const { operation, says, isInScript, callCount, askedCount, denied, declared } = item;
  const parts = [
    says.length === 0 ? "no grant names it" : says.join(", "),
    isInScript ? "in the script" : "seen in its calls only",
    ...(callCount === 0 ? [] : [`${callCount} calls in 7 days`]),
    ...(askedCount === 0 ? [] : [`asked about ${askedCount} times`]),
    ...(declared === null ? [] : [`${declared.capability}, ${declared.risk} risk`]),
    ...(denied === null ? [] : [`waits: ${denied}`]),
  ];
  return `${operation}: ${parts.join("; ")}`;
}

function changed({ changes }: GrantsDiffAnswer, note: string): string {
  const lines = changes.length === 0 ? ["nothing differs"] : changes;
  return [...lines, ...(note === "" ? [] : [note])].map(plain).join("\n");
}

function readGrantsFile(path: string): GrantsRequest["grants"] {
  try {
    const read: unknown = JSON.parse(readFileSync(path, "utf8"));
    if (Array.isArray(read)) return read as GrantsRequest["grants"];
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(
      `${path} ${code === undefined ? "is not JSON" : `cannot be read: ${code}`}`,
    );
  }
  throw new UsageError(`${path} does not hold a list`);
}
