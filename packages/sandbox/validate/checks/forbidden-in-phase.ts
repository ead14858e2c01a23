import { isContextMember, type Power, permissionOf, ruleOf } from "../../capability/table.ts";
import { type Problem, problemAt } from "../problem.ts";
import type { Handler } from "../reading/handlers.ts";
import type { OperationNatures } from "../reading/operation-nature.ts";
import type { Use } from "../reading/use.ts";
import { type Check, problemIn, useName } from "./check-context.ts";

/** R24, R29, R38, R45: the same table that builds ctx at run time. */
export const forbiddenInPhase: Check = ({ handlers, natures }) =>
  handlers.flatMap(({ phase, uses, code }) => {
    if (phase === "step") return checkStep(code);
    return uses.all.flatMap((use) => {
      const place = phase === "job" && use.item ? "item" : phase;
      const power = powerOf(use, phase, natures);
      if (power === null || permissionOf(power, place) !== "no") return [];
      // These two have codes of their own.
      if (place === "item" && power === "withItem") return [];
      if (place === "job" && power === "mutation") return [];
      const cause = `${useName(use)} cannot be used in \`${place}\`: ${ruleOf(place)}`;
      return [problemIn(use.file, use.start, "forbidden_in_phase", cause)];
    });
  });

/** What a step returns is its answer, and a promise is none. */
function checkStep({ node, file }: Handler["code"]): Problem[] {
  if (!node.async) return [];
  const cause = "`step` is async, but a machine waits for nothing.";
  const hint = "Make it a plain function; ask for outside work with effects.";
  return [problemAt(file.placeAt(node.start), "forbidden_in_phase", cause, hint)];
}

function powerOf(use: Use, phase: Handler["phase"], natures: OperationNatures): Power | null {
  if (use.operation === null) return isContextMember(use.member) ? use.member : null;
  const nature = natures.of(use);
  if (nature === null || use.call === null) return null;
  // No operation at all is for `next`, so its kind need not be known.
  if (phase === "next") return "read:list";
  if (!nature.certain) return null;
  return phase === "mutate" && nature.kind.startsWith("read") ? null : nature.kind;
}
