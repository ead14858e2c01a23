import type { SourceFile } from "./source-files.ts";
import { keyName, literalText, type Node, parseTree, walk } from "./syntax-tree.ts";

export type FunctionSpan = {
  readonly name: string;
  readonly line: number;
  readonly lineCount: number;
  readonly listsTests: boolean; // a describe block or a suite: a list of tests, not one thought
};

const testFunctions = new Set(["describe", "suite", "test", "it"]);

export function findFunctions(file: SourceFile): FunctionSpan[] {
  const { program, lineAt } = parseTree(file);
  const spans: FunctionSpan[] = [];
  walk(program, (node, parents) => {
    if (!isFunction(node)) return;
    const line = lineAt(node.start);
    const lineCount = lineAt(node.end - 1) - line + 1;
    const name = nameOf(node, parents.at(-1));
    spans.push({ name, line, lineCount, listsTests: listsTests(node) });
  });
  return spans;
}

function isFunction(node: Node): boolean {
  return /^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(node.type);
}

function nameOf(node: Node, parent: Node | undefined): string {
  if (node.type === "FunctionDeclaration" && node.id) return node.id.name;
  if (parent?.type === "VariableDeclarator" && parent.id.type === "Identifier") {
    return parent.id.name;
  }
  if (parent?.type === "MethodDefinition" || parent?.type === "PropertyDefinition") {
    return keyName(parent.key) ?? "a method";
  }
  if (parent?.type === "Property") return keyName(parent.key) ?? "a property";
  if (parent?.type === "CallExpression") return literalText(parent.arguments[0]) ?? "a callback";
  return "a function";
}

function listsTests(node: Node): boolean {
  let found = false;
  walk(node, (inner) => {
    if (inner.type === "CallExpression" && testFunctions.has(rootName(inner.callee))) found = true;
  });
  return found;
}

/** `test` for `test(…)`, `test.each(…)(…)` and `test.skip(…)`. */
export function rootName(callee: Node): string {
  if (callee.type === "Identifier") return callee.name;
  if (callee.type === "MemberExpression") return rootName(callee.object);
  if (callee.type === "CallExpression") return rootName(callee.callee);
  if (callee.type === "TaggedTemplateExpression") return rootName(callee.tag);
  return "";
}
