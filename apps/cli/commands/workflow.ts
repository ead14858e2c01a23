import type { WorkflowsAnswer } from "@holdfast/protocol";
import { Command } from "commander";
import { asking } from "../asking.ts";
import { example, group, onHost } from "../group.ts";
import { HostClient } from "../host-client.ts";
import { field, listing, time } from "../listing.ts";
import { print, table, timeText } from "../print.ts";
import { showing } from "../showing.ts";

type Options = {
  readonly data?: string;
  readonly json: boolean;
  readonly after?: string;
  readonly limit?: string;
};

export function workflowCommand(): Command {
  return group("workflow", [
    listCommand(),
    showing("show", "one workflow, with its topics and handlers", {
      words: [],
      path: () => "",
      example: "workflow show orders",
    }),
    asking("pause", "stop a workflow at its next boundary", {
      kind: "pause_workflow",
      example: "workflow pause orders",
    }),
    asking("resume", "let a paused workflow go on", {
      kind: "resume_workflow",
      example: "workflow resume orders",
    }),
    asking("run-now", "start all producers at once", {
      kind: "run_now",
      example: "workflow run-now orders",
    }),
    asking("archive", "put a workflow away: it stands still and keeps all it has", {
      kind: "archive_workflow",
      example: "workflow archive orders",
    }),
    asking("unarchive", "take a workflow out again; it is paused then", {
      kind: "restore_workflow",
      example: "workflow unarchive orders",
    }),
    listing("versions", "every version that was ever active, the newest first", {
      path: "versions",
      columns: [
        field("version", "version"),
        ["active", ({ isActive }) => (isActive === true ? "yes" : "")],
        time("activated", "activatedAt"),
        field("by", "activatedBy"),
        field("script", "scriptHash"),
      ],
      examples: ["workflow versions orders"],
    }),
  ]);
}

function listCommand(): Command {
  const command = onHost(new Command("ls").description("all workflows of the store"))
    .option("--limit <count>", "so many at once")
    .option("--after <workflow>", "those after this one")
    .action(async (options: Options) => {
      const { after, limit } = options;
      const answer = await new HostClient(options).get<WorkflowsAnswer>("/workflows", {
        after,
        limit,
      });
      print(options.json, answer, () => shown(answer));
    });
  return example(command, "workflow ls", "workflow ls --json");
}

function shown({ items, next }: WorkflowsAnswer): string {
  const rows = items.map((each) => [
    each.workflow,
    each.error === null ? each.status : `${each.status} (${each.error})`,
    each.version ?? "–",
    `${each.pending.count}${each.pending.isMore ? "+" : ""}`,
    String(each.openQuestions),
    each.openRun ?? "–",
    timeText(each.lastAt),
    timeText(each.dueAt),
  ]);
  const head = ["workflow", "status", "version", "pending", "asks", "run", "last", "next due"];
  return `${table(head, rows)}${next === null ? "" : `\nMore: --after ${next}`}`;
}
