import type { Command } from "commander";
import { field, listing, time } from "../listing.ts";

export function auditCommand(): Command {
  return listing("audit", "whatever anybody asked of a workflow, who, and what came of it", {
    path: "audit",
    statuses: "accepted, refused",
    isNarrowed: true,
    words: { kind: "such as approve_mutation", actor: "asked by" },
    columns: [
      time("answered", "answeredAt"),
      field("who", "actor"),
      field("asked for", "kind"),
      ["accepted", ({ accepted }) => (accepted === true ? "yes" : "no")],
      field("note", "note"),
    ],
    examples: ["audit orders --actor anna --from 30d"],
  });
}
