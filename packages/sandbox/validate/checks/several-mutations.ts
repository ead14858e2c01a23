import { followPaths } from "../reading/mutation-paths.ts";
import { type Check, problemIn, useName } from "./check-context.ts";

/** R37: zero or one mutation per run; the second is never sent. */
export const severalMutations: Check = ({ handlers, natures }) =>
  handlers
    .filter(({ phase }) => phase === "mutate")
    .flatMap(({ code, uses }) => {
      const { again } = followPaths(code.node, uses, (call) => {
        const use = uses.byCall.get(call);
        return use !== undefined && natures.isMutation(use);
      });
      return again.flatMap((call) => {
        const use = uses.byCall.get(call);
        if (!use) return [];
        const cause = `${useName(use)} can come after another mutation in the same run.`;
        return [problemIn(use.file, use.start, "several_mutations_on_one_path", cause)];
      });
    });
