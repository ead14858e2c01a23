import type { Command } from "commander";
import { asking } from "../asking.ts";
import { group } from "../group.ts";
import { field, listing, scriptTitle, textOf, time } from "../listing.ts";
import { showing } from "../showing.ts";

const ofRun = {
  words: ["<runId>"],
  body: ([runId = ""]: readonly string[]) => ({ runId }),
} as const;

/** What it waits for, where its status leaves that open. */
function statusOf({ status, reason }: Readonly<Record<string, unknown>>): string {
  const isPlain = typeof reason !== "string" || textOf(status).endsWith(reason);
  return isPlain ? textOf(status) : `${textOf(status)} (${reason})`;
}

export function runsCommand(): Command {
  return group("runs", [
    listing("ls", "runs, the newest first", {
      path: "runs",
      statuses: "open, committed, failed:logic, paused:transient, …",
      isNarrowed: true,
      words: { handler: "of this handler" },
      columns: [
        field("run", "runId"),
        field("handler", "handler"),
        field("phase", "phase"),
        ["status", statusOf],
        time("started", "startedAt"),
        scriptTitle,
      ],
      examples: ["runs ls orders --status failed:logic", "runs orders --handler book --from 2h"],
    }),
    showing("show", "one run, with what it holds, why, and what it called", {
      words: ["<runId>"],
      path: ([runId]) => `/runs/${runId}`,
      example: "runs show orders r12",
    }),
    asking("retry", "try a failed run again", {
      kind: "retry_run",
      ...ofRun,
      example: "runs retry orders r12",
    }),
    asking("resume", "let a waiting run go on", {
      kind: "resume_run",
      ...ofRun,
      example: "runs resume orders r12",
    }),
    asking("stop", "end a run on purpose; its events are free again", {
      kind: "stop_run",
      ...ofRun,
      example: "runs stop orders r12",
    }),
  ]);
}
