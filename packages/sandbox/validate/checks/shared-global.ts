import { blockDeclares, boundNames, declaredNames } from "../../compile/tree/bound-names.ts";
import type { ParsedFile } from "../../compile/tree/parsed-file.ts";
import {
  type FunctionNode,
  isFunction,
  memberName,
  unwrap,
} from "../../compile/tree/plain-expression.ts";
import { type Node, walk } from "../../compile/tree/syntax-node.ts";
import type { Problem } from "../problem.ts";
import type { ScriptView } from "../reading/script-view.ts";
import { type Check, problemIn } from "./check-context.ts";

const changing =
  /^(push|pop|shift|unshift|splice|sort|reverse|fill|copyWithin|set|add|delete|clear)$/;

/** R7: phases share no memory, so what a handler leaves in the script's variables is lost. */
export const sharedGlobal: Check = ({ view, handlers }) => {
  const functions = new Map<FunctionNode, ParsedFile>();
  for (const { uses } of handlers) {
    for (const [node, file] of uses.functions) functions.set(node, file);
  }
  const seen = new Set<Node>();
  return [...functions].flatMap(([code, file]) => checkFunction(view, file, code, seen));
};

function checkFunction(
  view: ScriptView,
  file: ParsedFile,
  code: FunctionNode,
  seen: Set<Node>,
): Problem[] {
  const problems: Problem[] = [];
  const around = parentsOf(file, code);
  walk(code, (node, parents) => {
    const target = writtenTo(node);
    const name = target && rootName(target);
    if (!target || name === null || seen.has(node)) return true;
    if (isLocal([...around, ...parents, node], name)) return true;
    if (!isShared(view, file, { node, target, name })) return true;
    seen.add(node);
    const cause = `"${name}" belongs to the whole script, and this write is lost after the phase.`;
    problems.push(problemIn(file, target, "shared_global_written", cause));
    return true;
  });
  return problems;
}

/** What stands around a function: its names hide those of the script. */
function parentsOf(file: ParsedFile, code: FunctionNode): readonly Node[] {
  let found: readonly Node[] = [];
  walk(file.program, (node, parents) => {
    if (node === code) found = [...parents];
    return node !== code && node.start <= code.start && code.end <= node.end;
  });
  return found;
}

/** The thing that is changed: `x` in `x = 1`, `x.y++`, `delete x.y`, `x.push(1)`. */
function writtenTo(node: Node): Node | null {
  switch (node.type) {
    case "AssignmentExpression":
      return node.left.type === "Identifier" || node.left.type === "MemberExpression"
        ? node.left
        : null;
    case "UpdateExpression":
      return node.argument;
    case "UnaryExpression":
      return node.operator === "delete" ? unwrap(node.argument) : null;
    case "CallExpression": {
      const callee = unwrap(node.callee);
      if (callee.type !== "MemberExpression" || !changing.test(memberName(callee) ?? ""))
        return null;
      return callee.object.type === "Identifier" ? callee.object : null;
    }
    default:
      return null;
  }
}

function rootName(node: Node): string | null {
  const inner = unwrap(node);
  if (inner.type === "Identifier") return inner.name;
  return inner.type === "MemberExpression" ? rootName(inner.object) : null;
}

function isLocal(scopes: readonly Node[], name: string): boolean {
  return scopes.some((scope) => {
    if (isFunction(scope)) return scope.params.flatMap(boundNames).includes(name);
    if (scope.type === "CatchClause")
      return scope.param ? boundNames(scope.param).includes(name) : false;
    if (scope.type === "ForStatement") {
      return scope.init ? declaredNames(scope.init).includes(name) : false;
    }
    if (scope.type === "ForOfStatement" || scope.type === "ForInStatement") {
      return declaredNames(scope.left).includes(name);
    }
    if (scope.type === "SwitchStatement") {
      return scope.cases.some((each) => each.consequent.flatMap(declaredNames).includes(name));
    }
    return scope.type === "BlockStatement" && (blockDeclares(scope, name) || hoists(scope, name));
  });
}

const hoistedNames = new WeakMap<Node, ReadonlySet<string>>();

/** `var` belongs to the function, however deep it stands. */
function hoists(block: Node, name: string): boolean {
  const known = hoistedNames.get(block);
  if (known) return known.has(name);
  const names = new Set<string>();
  walk(block, (node) => {
    if (isFunction(node)) return false;
    if (node.type === "VariableDeclaration" && node.kind === "var") {
      for (const each of declaredNames(node)) names.add(each);
    }
    return true;
  });
  hoistedNames.set(block, names);
  return names.has(name);
}

/** A variable of the file, or of nobody at all. Calls count only on collections we can see. */
function isShared(
  view: ScriptView,
  file: ParsedFile,
  { node, target, name }: { node: Node; target: Node; name: string },
): boolean {
  if (name === "globalThis") return target.type === "MemberExpression";
  if (view.owns(file, name)) {
    const found = node.type === "CallExpression" ? view.find(file, name)?.node : null;
    return found ? isCollection(found) : true;
  }
  return (
    node.type !== "CallExpression" && target.type === "Identifier" && !view.declares(file, name)
  );
}

function isCollection(node: Node): boolean {
  const value = unwrap(node);
  if (value.type === "VariableDeclaration" || value.type === "ArrayExpression") return true;
  if (value.type !== "NewExpression" || value.callee.type !== "Identifier") return false;
  return /^(Map|Set|WeakMap|WeakSet|Array)$/.test(value.callee.name);
}
