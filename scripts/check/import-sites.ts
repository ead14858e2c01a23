import type { SourceFile } from "./source-files.ts";
import { literalText, type Node, parseTree, walk } from "./syntax-tree.ts";

/** One place that names another module, whichever syntax it uses. */
export type ImportSite = {
  readonly specifier: string | null; // null = computed at run time
  readonly line: number;
};

export function findImportSites(file: SourceFile): ImportSite[] {
  const { program, lineAt } = parseTree(file);
  const sites: ImportSite[] = [];
  walk(program, (node) => {
    const source = sourceOf(node);
    if (source) sites.push({ specifier: literalText(source), line: lineAt(node.start) });
  });
  return sites;
}

function sourceOf(node: Node): Node | null {
  switch (node.type) {
    case "ImportDeclaration":
    case "ImportExpression":
    case "ExportAllDeclaration":
    case "ExportNamedDeclaration":
    case "TSImportType":
      return node.source;
    case "TSExternalModuleReference":
      return node.expression;
    case "CallExpression":
      return isRequire(node.callee) ? (node.arguments[0] ?? null) : null;
    default:
      return null;
  }
}

function isRequire(callee: Node): boolean {
  return callee.type === "Identifier" && callee.name === "require";
}

/** `@holdfast/core` for `@holdfast/core/canonical`, `cborg` for `cborg/length`. */
export function packageNameOf(specifier: string): string {
  const parts = specifier.split("/");
  return parts.slice(0, specifier.startsWith("@") ? 2 : 1).join("/");
}
