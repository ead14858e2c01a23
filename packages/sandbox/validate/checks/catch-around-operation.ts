import type { Problem } from "../problem.ts";
import { type Check, problemIn, useName } from "./check-context.ts";

/** R58, C29: the errors of operations never reach the script. */
export const catchAroundOperation: Check = ({ handlers }) =>
  handlers.flatMap(({ uses }) => {
    const seen = new Set<unknown>();
    const caught = uses.all.flatMap((use): Problem[] => {
      if (use.operation === null || use.call === null || use.caught === null) return [];
      if (seen.has(use.caught)) return [];
      seen.add(use.caught);
      const cause = `This never sees an error of ${useName(use)}.`;
      return [problemIn(fileOfCatch(use), use.caught, "catch_around_operation", cause)];
    });
    const swallowed = uses.swallowed.map(({ node, file }) => {
      const cause = "This never sees an error of the operation.";
      return problemIn(file, node, "catch_around_operation", cause);
    });
    return [...caught, ...swallowed];

    function fileOfCatch(use: (typeof uses.all)[number]) {
      for (const [node, file] of uses.functions) if (use.trail.includes(node)) return file;
      return use.file;
    }
  });
