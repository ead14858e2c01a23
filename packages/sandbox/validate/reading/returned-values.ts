import { type FunctionNode, isFunction, unwrap } from "../../compile/tree/plain-expression.ts";
import { type Node, walk } from "../../compile/tree/syntax-node.ts";

/** What a function itself returns; for a bare `return` the statement. */
export function returnedValues(code: FunctionNode): Node[] {
  if (!code.body) return [];
  if (code.body.type !== "BlockStatement") return branchesOf(code.body);
  const values: Node[] = [];
  walk(code.body, (node) => {
    if (isFunction(node) || node.type === "ClassDeclaration") return false;
    if (node.type !== "ReturnStatement") return true;
    values.push(...(node.argument ? branchesOf(node.argument) : [node]));
    return false;
  });
  return values;
}

function branchesOf(given: Node): Node[] {
  const node = unwrap(given);
  if (node.type !== "ConditionalExpression") return [node];
  return [...branchesOf(node.consequent), ...branchesOf(node.alternate)];
}
