import type { Node } from "./syntax-node.ts";

/** Names that a binding pattern introduces: `a`, `{ a, b: c }`, `[d = 1, ...e]`. */
export function boundNames(pattern: Node): string[] {
  switch (pattern.type) {
    case "Identifier":
      return [pattern.name];
    case "ObjectPattern":
      return pattern.properties.flatMap((each) =>
        boundNames(each.type === "RestElement" ? each.argument : each.value),
      );
    case "ArrayPattern":
      return pattern.elements.flatMap((each) => (each === null ? [] : boundNames(each)));
    case "AssignmentPattern":
      return boundNames(pattern.left);
    case "RestElement":
      return boundNames(pattern.argument);
    case "TSParameterProperty":
      return boundNames(pattern.parameter);
    default:
      return [];
  }
}

/** Names that a statement declares in the scope it stands in. */
export function declaredNames(statement: Node): string[] {
  switch (statement.type) {
    case "VariableDeclaration":
      return statement.declarations.flatMap((each) => boundNames(each.id));
    case "FunctionDeclaration":
    case "ClassDeclaration":
    case "TSEnumDeclaration":
      return statement.id ? boundNames(statement.id) : [];
    case "ImportDeclaration":
      return statement.specifiers.map((each) => each.local.name);
    case "ExportNamedDeclaration":
    case "ExportDefaultDeclaration":
      return statement.declaration ? declaredNames(statement.declaration) : [];
    default:
      return [];
  }
}

const namesOfBlocks = new WeakMap<Node, ReadonlySet<string>>();

/** Whether a block, or a file, declares the name among its own statements. */
export function blockDeclares(block: Node, name: string): boolean {
  if (block.type !== "Program" && block.type !== "BlockStatement") return false;
  const names = namesOfBlocks.get(block) ?? new Set(block.body.flatMap(declaredNames));
  namesOfBlocks.set(block, names);
  return names.has(name);
}
