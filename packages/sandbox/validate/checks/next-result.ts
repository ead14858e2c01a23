import { propertyOf, unwrap } from "../../compile/tree/plain-expression.ts";
import { type Node, walk } from "../../compile/tree/syntax-node.ts";
import type { Problem } from "../problem.ts";
import type { Handler } from "../reading/handlers.ts";
import type { Use } from "../reading/use.ts";
import { type Check, type CheckContext, problemIn } from "./check-context.ts";

/** R21, R44: `next` always runs, also when nothing was sent or a person skipped it. */
export const nextResult: Check = (context) =>
  context.handlers
    .filter(({ phase }) => phase === "next")
    .flatMap((handler) => [...inputIds(handler), ...ignoredKinds(context, handler)]);

function inputIds({ uses }: Handler): Problem[] {
  return uses.all.filter(isPublish).flatMap((use) => {
    const event = use.call?.arguments[1];
    const property = event ? propertyOf(unwrap(event), "inputId") : null;
    if (property?.type !== "Property") return [];
    const cause = "An event of `next` inherits its inputs and names none.";
    return [problemIn(use.file, property, "input_id_in_next", cause)];
  });
}

function ignoredKinds(context: CheckContext, handler: Handler): Problem[] {
  if (!mutates(context, handler) || mentionsStatus(handler)) return [];
  const result = resultTaken(handler);
  if (result) {
    const cause = "The result is there only if the status is applied.";
    return [problemIn(handler.code.file, result, "result_kind_ignored", cause)];
  }
  const use = handler.uses.all.find((each) => isPublish(each) && isUnconditional(each));
  if (!use) return [];
  const cause = "This is published whether or not the mutation happened.";
  return [problemIn(use.file, use.start, "publish_whatever_happened", cause)];
}

function isPublish(use: Use): boolean {
  return use.member === "publish" && use.operation === null && use.call !== null;
}

function mutates({ handlers, natures }: CheckContext, { name }: Handler): boolean {
  const mutate = handlers.find((each) => each.phase === "mutate" && each.name === name);
  return mutate?.uses.all.some((use) => use.call && natures.isMutation(use)) ?? false;
}

/** Whoever names `status` anywhere, or hands the result to a helper, has thought of it. */
function mentionsStatus({ code, uses }: Handler): boolean {
  const parameter = code.node.params[2];
  const name = parameter?.type === "Identifier" ? parameter.name : null;
  let found = false;
  for (const each of uses.functions.keys()) {
    walk(each, (node, parents) => {
      if (node.type === "Identifier" && node.name === "status") found = true;
      const parent = parents.at(-1);
      const isHanded = parent?.type === "CallExpression" && parent.callee !== node;
      if (isHanded && node.type === "Identifier" && node.name === name) found = true;
      return !found;
    });
  }
  return found;
}

/** `r.result` or `{ result }` without a question mark before or after it; null = not taken. */
function resultTaken({ code }: Handler): Node | null {
  const parameter = code.node.params[2];
  if (parameter?.type === "ObjectPattern") {
    const taken = parameter.properties.find((each) => {
      return (
        each.type === "Property" && each.key.type === "Identifier" && each.key.name === "result"
      );
    });
    return taken ?? null;
  }
  if (parameter?.type !== "Identifier") return null;
  let taken: Node | null = null;
  walk(code.node, (node, parents) => {
    if (taken !== null || node.type !== "MemberExpression") return taken === null;
    const { object, property } = node;
    if (object.type !== "Identifier" || object.name !== parameter.name) return true;
    if (property.type !== "Identifier" || property.name !== "result" || node.optional) return true;
    const parent = parents.at(-1);
    if (parent?.type === "MemberExpression" && !parent.optional) taken = property;
    return true;
  });
  return taken;
}

const conditions = /^(If|Switch|For|ForOf|ForIn|While|DoWhile|Conditional|Logical)/;

function isUnconditional(use: Use): boolean {
  const [, ...inside] = use.trail;
  return !inside.some(
    (each) =>
      conditions.test(each.type) || /Function/.test(each.type) || each.type === "TryStatement",
  );
}
