import { type Problem, problemAt } from "../validate/problem.ts";
import { resolveImport } from "./resolve-import.ts";
import type { ScriptSource } from "./script-source.ts";
import { sdkNames } from "./sdk-names.ts";
import type { ParsedFile } from "./tree/parsed-file.ts";
import { type Node, walk } from "./tree/syntax-node.ts";

type Importing = Extract<
  Node,
  { type: "ImportDeclaration" | "ExportNamedDeclaration" | "ExportAllDeclaration" }
>;

/** Local files and the SDK; nothing else exists for a script. */
export function checkImports(source: ScriptSource, file: ParsedFile): Problem[] {
  return file.program.body.flatMap((statement) => {
    if (
      statement.type !== "ImportDeclaration" &&
      statement.type !== "ExportNamedDeclaration" &&
      statement.type !== "ExportAllDeclaration"
    ) {
      return [];
    }
    return statement.source ? checkImport(source, file, statement) : [];
  });
}

function checkImport(source: ScriptSource, file: ParsedFile, statement: Importing): Problem[] {
  const specifier = statement.source;
  if (!specifier) return [];
  const place = file.placeAt(specifier.start);
  const shown = JSON.stringify(specifier.value.slice(0, 100));
  const resolved = resolveImport(source, file.path, specifier.value);
  switch (resolved.kind) {
    case "file":
      return [];
    case "sdk":
      return checkSdkNames(file, statement);
    case "missing":
      return [
        problemAt(
          place,
          "import_not_found",
          `The script has no file for ${shown}.${only(specifier.value)}`,
        ),
      ];
    case "foreign":
      return [problemAt(place, "import_not_allowed", `${shown} cannot be imported by a script.`)];
  }
}

/** The file may well be there, and yet be none that a script can have. */
function only(path: string): string {
  const isCode = /\.m?[jt]s$/.test(path) || !/\.\w+$/.test(path);
  return isCode ? "" : " Only .ts and .js files can be imported.";
}

/** A name that is only used as a type is gone before the script runs and needs no value. */
function checkSdkNames(file: ParsedFile, statement: Importing): Problem[] {
  if (statement.type !== "ImportDeclaration" || statement.importKind === "type") return [];
  return statement.specifiers.flatMap((specifier) => {
    if (specifier.type === "ImportNamespaceSpecifier") return [];
    if (specifier.type === "ImportSpecifier" && specifier.importKind === "type") return [];
    const name =
      specifier.type === "ImportSpecifier" ? exportedName(specifier.imported) : "default";
    if (sdkNames.includes(name) || !isUsed(file, specifier.local.name)) return [];
    const cause = `@holdfast/sdk exports no value "${name}".`;
    return [problemAt(file.placeAt(specifier.start), "unknown_sdk_name", cause)];
  });
}

function exportedName(node: Node): string {
  if (node.type === "Identifier") return node.name;
  return node.type === "Literal" ? String(node.value) : "";
}

function isUsed(file: ParsedFile, name: string): boolean {
  if (/\.m?js$/.test(file.path)) return true;
  let used = false;
  walk(file.program, (node) => {
    if (node.type === "ImportDeclaration") return false;
    if (node.type === "Identifier" && node.name === name) used = true;
    return !used;
  });
  return used;
}
