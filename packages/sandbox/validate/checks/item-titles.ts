import {
  isFunction,
  literalText,
  memberName,
  unwrap,
} from "../../compile/tree/plain-expression.ts";
import type { Node } from "../../compile/tree/syntax-node.ts";
import type { Problem } from "../problem.ts";
import type { Handler } from "../reading/handlers.ts";
import { type Check, problemIn } from "./check-context.ts";

/** L14: an item has a title by which people can tell it from the others of its run. */
export const itemTitles: Check = ({ handlers }) =>
  handlers.filter(({ phase }) => phase === "job").flatMap(checkJob);

function checkJob({ uses }: Handler): Problem[] {
  const idsOf = new Map<string, string | null>();
  return uses.all.flatMap(({ member, operation, call, file, start, trail }) => {
    const [id, title] = call?.arguments ?? [];
    if (member !== "withItem" || operation !== null || !id) return [];
    if (!title || isNoText(unwrap(title))) {
      const cause = "The item has no title.";
      return [problemIn(file, title ?? start, "item_title_missing", cause)];
    }
    const fixed = literalText(title);
    if (fixed === null) return [];
    const known = idsOf.get(fixed);
    const own = literalText(id);
    idsOf.set(fixed, own);
    const isOther = known !== undefined && (known === null || known !== own);
    if (!isOther && (own !== null || !isRepeated(trail))) return [];
    const cause = `Several items would be called ${JSON.stringify(fixed)}.`;
    return [problemIn(file, title, "item_title_alike", cause)];
  });
}

/** It stands in a loop, or in a function that is called per element. */
function isRepeated(trail: readonly Node[]): boolean {
  return trail.some((node, at) => {
    if (/^(For|While|DoWhile)/.test(node.type)) return true;
    const outer = trail[at - 1];
    return isFunction(node) && outer?.type === "CallExpression" && iterates(outer);
  });
}

function iterates({ callee }: Extract<Node, { type: "CallExpression" }>): boolean {
  return /^(forEach|map|flatMap)$/.test(memberName(unwrap(callee)) ?? "");
}

/** The handler in its place, nothing, a number, or a text with nothing in it. */
function isNoText(node: Node): boolean {
  if (isFunction(node) || (node.type === "Identifier" && node.name === "undefined")) return true;
  if (literalText(node) !== null) return literalText(node)?.trim() === "";
  return node.type === "Literal" || node.type === "ObjectExpression";
}
