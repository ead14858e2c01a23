import type { SourceFile } from "./source-files.ts";
import { keyName, type Node, parseTree, walk } from "./syntax-tree.ts";

export type DeclaredName = { readonly name: string; readonly line: number };

/**
 * The names we chose ourselves: what a file declares, the members of its types, and the words of
 * its string unions. Names of other people's modules and the keys we hand to them do not count.
 */
export function findDeclaredNames(file: SourceFile): DeclaredName[] {
  const { program, lineAt } = parseTree(file);
  const names: DeclaredName[] = [];
  walk(program, (node, parents) => {
    for (const name of namesAt(node, parents)) names.push({ name, line: lineAt(node.start) });
  });
  return names;
}

function namesAt(node: Node, parents: readonly Node[]): string[] {
  switch (node.type) {
    case "Identifier":
      return isBinding(node, parents) ? [node.name] : [];
    case "PropertyDefinition":
    case "MethodDefinition":
    case "TSPropertySignature":
    case "TSMethodSignature":
      return node.computed ? [] : listOf(keyName(node.key));
    case "TSLiteralType":
      return listOf(keyName(node.literal)).filter((word) => /^[a-z][\w:.-]*$/i.test(word));
    default:
      return [];
  }
}

function listOf(name: string | null): string[] {
  return name === null ? [] : [name];
}

function isBinding(node: Node, parents: readonly Node[]): boolean {
  const parent = parents.at(-1);
  switch (parent?.type) {
    case "VariableDeclarator":
    case "TSTypeAliasDeclaration":
    case "TSInterfaceDeclaration":
    case "ClassDeclaration":
      return parent.id === node;
    case "FunctionDeclaration":
    case "FunctionExpression":
    case "ArrowFunctionExpression":
    case "TSFunctionType":
    case "TSMethodSignature":
      return ("id" in parent && parent.id === node) || parent.params.some((each) => each === node);
    case "TSTypeParameter":
      return parent.name === node;
    case "ImportSpecifier":
      return parent.local === node && keyName(parent.imported) !== parent.local.name;
    case "Property":
      return isRenamed(node, parents);
    default:
      return parent?.type === "AssignmentPattern" && parent.left === node;
  }
}

/** `local` in `const { theirs: local } = …`; in the short form the name is not ours. */
function isRenamed(node: Node, parents: readonly Node[]): boolean {
  const [pattern, property] = parents.slice(-2);
  if (pattern?.type !== "ObjectPattern" || property?.type !== "Property") return false;
  return property.value === node && !property.shorthand;
}
