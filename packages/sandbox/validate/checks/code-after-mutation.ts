import { isFunction, memberName, unwrap } from "../../compile/tree/plain-expression.ts";
import type { Node } from "../../compile/tree/syntax-node.ts";
import type { Problem } from "../problem.ts";
import type { Handler } from "../reading/handlers.ts";
import { followPaths } from "../reading/mutation-paths.ts";
import type { Use } from "../reading/use.ts";
import { type Check, problemIn, useName } from "./check-context.ts";

/** R39: control never comes back from the mutation. */
export const codeAfterMutation: Check = ({ handlers, natures }) =>
  handlers
    .filter(({ phase }) => phase === "mutate")
    .flatMap((handler) => checkHandler(handler, (use) => natures.isMutation(use)));

function checkHandler(handler: Handler, isMutation: (use: Use) => boolean): Problem[] {
  const { code, uses } = handler;
  const { after } = followPaths(code.node, uses, (call) => {
    const use = uses.byCall.get(call);
    return use !== undefined && isMutation(use);
  });
  const statements = after.map((statement) => {
    const file = fileOf(handler, statement);
    const cause = "This comes after the mutation, which never returns to the script.";
    return problemIn(file, statement, "code_after_mutation", cause);
  });
  const results = uses.all.filter(isMutation).flatMap((use) => {
    const user = use.call && userOfResult(use);
    if (!user) return [];
    const cause = `The result of ${useName(use)} is used, but only \`next\` ever gets it.`;
    return [problemIn(use.file, user, "code_after_mutation", cause)];
  });
  return [...statements, ...results];
}

/** The statement may stand in a helper of another file. */
function fileOf(handler: Handler, statement: Node) {
  let file = handler.code.file;
  let size = Number.POSITIVE_INFINITY;
  for (const [node, home] of handler.uses.functions) {
    const holds = node.start <= statement.start && statement.end <= node.end;
    const isOwn = holds && contains(node, statement);
    if (isOwn && node.end - node.start < size) {
      file = home;
      size = node.end - node.start;
    }
  }
  return file;
}

function contains(root: Node, node: Node): boolean {
  const open: Node[] = [root];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next === node) return true;
    for (const value of Object.values(next)) {
      for (const each of Array.isArray(value) ? value : [value]) {
        if (typeof each === "object" && each !== null && "type" in each) open.push(each as Node);
      }
    }
  }
  return false;
}

const passing: ReadonlySet<string> = new Set([
  "AwaitExpression",
  "ChainExpression",
  "ParenthesizedExpression",
  "TSAsExpression",
  "TSNonNullExpression",
  "TSSatisfiesExpression",
  "SequenceExpression",
  "ConditionalExpression",
  "LogicalExpression",
  "AssignmentExpression",
  "ArrayExpression",
]);

/** What does something with the value of the call; null = nothing does. */
function userOfResult(use: Use): Node | null {
  const trail = [...use.trail];
  let inner: Node | null = use.call;
  for (let parent = trail.pop(); parent !== undefined; parent = trail.pop()) {
    if (parent.type === "UnaryExpression" && parent.operator === "void") return null;
    if (parent.type === "VariableDeclarator") {
      return parent.id.type === "Identifier" ? null : parent.id;
    }
    if (isFunction(parent) || parent.type.endsWith("Statement")) {
      const isTested =
        (parent.type === "IfStatement" || parent.type === "WhileStatement") &&
        parent.test === inner;
      return isTested ? parent : null;
    }
    if (parent.type === "CallExpression") return isPromiseAll(parent) ? null : parent;
    if (parent.type === "MemberExpression") return parent.property;
    if (!passing.has(parent.type)) return parent;
    inner = parent;
  }
  return null;
}

function isPromiseAll(node: Extract<Node, { type: "CallExpression" }>): boolean {
  const callee = unwrap(node.callee);
  if (callee.type !== "MemberExpression" || callee.object.type !== "Identifier") return false;
  return callee.object.name === "Promise" && (memberName(callee) ?? "").startsWith("a");
}
