import type { StoreBrakeAnswer } from "@holdfast/protocol";
import { Command } from "commander";
import { example, group } from "../group.ts";
import { HostClient } from "../host-client.ts";
import { inputsOf, type Row, textOf } from "../listing.ts";
import { print, table, timeText } from "../print.ts";
import { UsageError } from "../store-place.ts";
import { answerCommand } from "./answer.ts";
import { showQuestionCommand } from "./question.ts";
import { waitingOf } from "./waiting.ts";

type Options = {
  readonly data?: string;
  readonly json: boolean;
  readonly status?: string;
  readonly after?: string;
  readonly limit?: string;
};

type Answer = { readonly items: readonly Row[]; readonly next: string | null };

export function attentionCommand(): Command {
  return group("attention", [listCommand(), showQuestionCommand(), answerCommand()]);
}

function listCommand(): Command {
  const command = new Command("ls")
    .description("what needs a person: of one workflow, or of all of them")
    .argument("[workflow]")
    .option("--status <status>", "of one workflow: open, closed, all (default open)")
    .option("--limit <count>", "so many at once")
    .option("--after <cursor>", "the page after this one")
    .option("--data <folder>", "data folder of the running host")
    .option("--json", "one line of JSON", false)
    .action(async (workflow: string | undefined, options: Options) => {
      const { after, limit, status = "open" } = options;
      if (workflow === undefined && status !== "open") {
        throw new UsageError("Of all workflows only the open questions can be listed.");
      }
      const of = workflow === undefined ? "" : `/workflows/${encodeURIComponent(workflow)}`;
      const query = { after, limit, status: status === "all" ? undefined : status };
      const client = new HostClient(options);
      const answer = await client.get<Answer>(`${of}/attention`, query);
      const { brake } = await client.get<StoreBrakeAnswer>("/brake");
      print(options.json, { ...answer, brake }, () => `${sayBrake(brake)}${shown(answer)}`);
    });
  return example(command, "attention", "attention ls orders --status closed");
}

/** What stops everything comes before what is asked of each. */
function sayBrake(brake: StoreBrakeAnswer["brake"]): string {
  if (brake === null) return "";
  const { setBy, setAt, reason } = brake;
  const stopped = `All sending is stopped since ${timeText(setAt)} by ${setBy}: ${reason}`;
  return `${stopped} (holdfast brake off --all)\n`;
}

function shown({ items, next }: Answer): string {
  if (items.length === 0) return "Nothing needs you.";
  const head = ["workflow", "question", "asked", "kind", "input", "waits", "answers", "what"];
  const rows = items.map((row) => [
    textOf(row["workflow"]),
    textOf(row["attentionId"]),
    timeText(typeof row["openedAt"] === "number" ? row["openedAt"] : null),
    textOf(row["kind"]),
    inputsOf(row),
    waitingOf(row["waiting"]),
    Array.isArray(row["answers"]) ? row["answers"].join(", ") : "–",
    textOf(row["note"]),
  ]);
  const hint = "One of them in full: holdfast attention show <workflow> <question>";
  const more = next === null ? "" : `\nMore: --after ${next}`;
  return `${table(head, rows)}\n${hint}${more}`;
}
