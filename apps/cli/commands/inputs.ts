import type { Command } from "commander";
import { asking } from "../asking.ts";
import { group } from "../group.ts";
import { field, listing, textOf, time } from "../listing.ts";
import { showing } from "../showing.ts";

const ofInput = {
  words: ["<inputId>"],
  body: ([inputId = ""]: readonly string[]) => ({ inputId }),
} as const;

export function inputsCommand(): Command {
  return group("inputs", [
    listing("ls", "what came in, and what became of it", {
      path: "inputs",
      statuses: "pending, done, skipped",
      isNarrowed: true,
      columns: [
        time("came in", "createdAt"),
        [
          "status",
          ({ status, isStale }) => `${textOf(status)}${isStale === true ? " (stale)" : ""}`,
        ],
        field("outputs", "outputsDone"),
        field("input", "inputId"),
        field("title", "title"),
      ],
      examples: ["inputs ls orders --status pending", "inputs orders --from 12h"],
    }),
    showing("show", "one input, with what became of it", {
      words: ["<inputId>"],
      path: ([inputId]) => `/inputs/${inputId}`,
      example: "inputs show orders <inputId>",
    }),
    asking("skip", "take everything an input caused out of the work", {
      kind: "skip_input",
      ...ofInput,
      example: "inputs skip orders <inputId>",
    }),
    asking("reprocess", "work everything an input caused off once more", {
      kind: "reprocess_input",
      ...ofInput,
      example: "inputs reprocess orders <inputId>",
    }),
  ]);
}
