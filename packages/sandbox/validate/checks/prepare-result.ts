import { hasSpread, propertyOf, unwrap } from "../../compile/tree/plain-expression.ts";
import type { Node } from "../../compile/tree/syntax-node.ts";
import type { Problem } from "../problem.ts";
import type { Handler } from "../reading/handlers.ts";
import { returnedValues } from "../reading/returned-values.ts";
import { type Check, type CheckContext, problemIn, problemOf } from "./check-context.ts";

/** R30, R36: what `prepare` returns says what is taken, and what it means to a person. */
export const prepareResult: Check = (context) =>
  context.handlers
    .filter(({ phase }) => phase === "prepare")
    .flatMap((handler) => checkPrepare(context, handler));

function checkPrepare(context: CheckContext, handler: Handler): Problem[] {
  const values = returnedValues(handler.code.node);
  const { body } = handler.code.node;
  const ends = body?.type === "BlockStatement" ? body.body.at(-1) : null;
  if (values.every(isBareReturn)) {
    if (ends?.type === "ThrowStatement" || handler.code.node.generator) return [];
    const cause = `\`prepare\` of ${handler.name} returns nothing.`;
    return [problemOf(context, handler.path, "prepare_returns_nothing", cause)];
  }
  const missing = missingResult(handler, values, ends);
  const written = values.filter(({ type }) => type === "ObjectExpression");
  const faults = written.flatMap((result) => {
    if (hasSpread(result)) return [];
    const { file } = handler.code;
    if (propertyOf(result, "reservations") === null) {
      const cause = "The returned object has no `reservations`.";
      return [problemIn(file, result, "reservations_missing", cause)];
    }
    if (isEmptySelection(result) || hasTitle(result) || !mutates(context, handler)) return [];
    const cause = "A mutation follows, and nothing says what it means to a person.";
    return [problemIn(file, result, "missing_title", cause)];
  });
  return [...missing, ...faults];
}

/** A path on which nothing is returned: a bare return, null, undefined, or the function's end. */
function missingResult(
  { code, name }: Handler,
  values: readonly Node[],
  ends: Node | null | undefined,
): Problem[] {
  const empty = values.filter(isNothing);
  const loops = ends?.type === "ForOfStatement" || ends?.type === "ForInStatement";
  const open = loops || (ends?.type === "IfStatement" && !ends.alternate) ? [ends] : [];
  const cause = `\`prepare\` of ${name} returns nothing on this path.`;
  return [...empty, ...open].map((node) =>
    problemIn(code.file, node, "prepare_returns_nothing", cause),
  );
}

function isBareReturn({ type }: Node): boolean {
  return type === "ReturnStatement";
}

function isNothing(node: Node): boolean {
  if (isBareReturn(node)) return true;
  if (node.type === "Literal") return node.value === null && node.raw === "null";
  return node.type === "Identifier" && node.name === "undefined";
}

function isEmptySelection(result: Node): boolean {
  const property = propertyOf(result, "reservations");
  const list = property?.type === "Property" ? unwrap(property.value) : null;
  return list?.type === "ArrayExpression" && list.elements.length === 0;
}

function hasTitle(result: Node): boolean {
  const property = propertyOf(result, "ui");
  if (property?.type !== "Property") return false;
  const ui = unwrap(property.value);
  if (ui.type !== "ObjectExpression" || hasSpread(ui)) return true;
  return propertyOf(ui, "title") !== null;
}

function mutates({ handlers, natures }: CheckContext, { name }: Handler): boolean {
  const mutate = handlers.find((each) => each.phase === "mutate" && each.name === name);
  return mutate?.uses.all.some((use) => use.call && natures.isMutation(use)) ?? false;
}
