import type { Command } from "commander";
import { group } from "../group.ts";
import { field, listing, scriptTitle, time } from "../listing.ts";
import { showing } from "../showing.ts";

export function mutationsCommand(): Command {
  return group("mutations", [
    listing("ls", "outside changes, the newest first", {
      path: "mutations",
      statuses:
        "awaiting_approval, ready, in_flight, needs_reconcile, indeterminate, applied, failed",
      isNarrowed: true,
      columns: [
        field("call", "mutationId"),
        time("recorded", "recordedAt"),
        field("state", "state"),
        field("operation", "operation"),
        field("target", "target"),
        scriptTitle,
      ],
      examples: ["mutations ls orders --status indeterminate"],
    }),
    showing("show", "one outside change, with what is known of it", {
      words: ["<mutationId>"],
      path: ([mutationId]) => `/mutations/${mutationId}`,
      example: "mutations show orders m12",
    }),
  ]);
}
