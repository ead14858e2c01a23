import { blockDeclares, boundNames } from "../../compile/tree/bound-names.ts";
import type { ParsedFile } from "../../compile/tree/parsed-file.ts";
import { isFunction, unwrap } from "../../compile/tree/plain-expression.ts";
import { type Node, walk } from "../../compile/tree/syntax-node.ts";
import type { Problem } from "../problem.ts";
import { isClockOrChance } from "../reading/unstable-value.ts";
import { type Check, problemIn } from "./check-context.ts";

/** R132: what other platforms have and an isolate has not. */
const absent: ReadonlySet<string> = new Set([
  ...["fetch", "XMLHttpRequest", "WebSocket", "EventSource", "Worker", "importScripts"],
  ...["setTimeout", "setInterval", "setImmediate", "process", "Buffer", "Deno", "Bun"],
  ...["window", "document", "localStorage", "sessionStorage", "alert", "__dirname", "__filename"],
]);

/** R132, R147: code from text, powers that are not there, and clocks that would stand still. */
export const ambientCode: Check = ({ view, manifest }) => {
  const connections = new Set(manifest.connections.map(({ name }) => name));
  return [...view.files.values()].flatMap((file) => checkFile(file, connections));
};

function checkFile(file: ParsedFile, connections: ReadonlySet<string>): Problem[] {
  const problems: Problem[] = [];
  walk(file.program, (node, parents) => {
    if (isClockOrChance(node) && !parents.some(isLater)) {
      const cause = "This is read once, while the script is loaded, and never again.";
      problems.push(problemIn(file, node, "time_at_top_level", cause));
    }
    if (node.type !== "CallExpression" && node.type !== "NewExpression") {
      if (node.type !== "MemberExpression" || node.object.type !== "Identifier") return true;
      problems.push(...absentName(file, node.object, parents, connections));
      return true;
    }
    const callee = unwrap(node.callee);
    if (callee.type !== "Identifier" || isDeclared([...parents, node], callee.name)) return true;
    if (callee.name === "eval" || callee.name === "Function") {
      const cause = `${callee.name} makes code from text.`;
      problems.push(problemIn(file, callee, "eval_used", cause));
    }
    problems.push(...absentName(file, callee, parents, connections));
    return true;
  });
  return problems;
}

function absentName(
  file: ParsedFile,
  node: Extract<Node, { type: "Identifier" }>,
  parents: readonly Node[],
  connections: ReadonlySet<string>,
): Problem[] {
  if (!absent.has(node.name) || connections.has(node.name)) return [];
  if (isDeclared(parents, node.name)) return [];
  const cause = `There is no "${node.name}" in a script.`;
  return [problemIn(file, node, "global_not_there", cause)];
}

/** Runs when it is called, not when the script is loaded. */
function isLater(node: Node): boolean {
  return isFunction(node) || (node.type === "PropertyDefinition" && !node.static);
}

function isDeclared(parents: readonly Node[], name: string): boolean {
  return parents.some((parent) => {
    if (isFunction(parent)) return parent.params.flatMap(boundNames).includes(name);
    return blockDeclares(parent, name);
  });
}
