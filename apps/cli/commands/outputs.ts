import type { Command } from "commander";
import { field, inputsOf, listing, scriptTitle, textOf, time } from "../listing.ts";

export function outputsCommand(): Command {
  return listing("outputs", "what was done outside and published, and which inputs caused it", {
    path: "outputs",
    statuses: "mutation, event",
    isNarrowed: true,
    columns: [
      time("when", "at"),
      field("kind", "kind"),
      [
        "what",
        ({ kind, operation, target, outputId }) =>
          kind === "mutation" ? `${textOf(operation)} ${textOf(target)}` : textOf(outputId),
      ],
      scriptTitle,
      ["because of", inputsOf],
    ],
    examples: ["outputs orders", "outputs orders --status mutation --from 2026-01-31"],
  });
}
