import { type Problem, problemAt } from "../validate/problem.ts";
import { blockDeclares, boundNames } from "./tree/bound-names.ts";
import type { ParsedFile } from "./tree/parsed-file.ts";
import { isFunction } from "./tree/plain-expression.ts";
import { type Node, walk } from "./tree/syntax-node.ts";

/** What a module may do elsewhere and a script may not: load, wait at the top, ask where it is. */
export function checkModuleForm(file: ParsedFile, isEntry: boolean): Problem[] {
  const problems: Problem[] = [];
  const report = (node: Node, code: Parameters<typeof problemAt>[1], cause: string): void => {
    problems.push(problemAt(file.placeAt(node.start), code, cause));
  };
  walk(file.program, (node, parents) => {
    if (node.type === "ImportExpression") {
      report(node, "dynamic_import", "import() cannot load anything in a script.");
    } else if (node.type === "MetaProperty" && node.meta.name === "import") {
      report(node, "import_meta_used", "import.meta does not exist in a script.");
    } else if (isRequire(node) && !isDeclared(parents, "require")) {
      report(node, "require_used", "require does not exist in a script.");
    } else if (waits(node) && !parents.some(isOwnWorld)) {
      report(node, "top_level_await", "The script waits while it is loaded.");
    }
    return true;
  });
  // TypeScript's own way to require: erased by nobody, understood by nobody.
  for (const statement of file.program.body) {
    if (statement.type === "TSImportEqualsDeclaration" || statement.type === "TSExportAssignment") {
      report(statement, "require_used", "Only import and export exist in a script.");
    }
  }
  if (isEntry && !file.program.body.some(isDefaultExport)) {
    problems.push(
      problemAt(file.placeAt(0), "no_default_export", "Nothing is exported as default."),
    );
  }
  return problems;
}

function isRequire(node: Node): boolean {
  return (
    node.type === "CallExpression" &&
    node.callee.type === "Identifier" &&
    node.callee.name === "require"
  );
}

function waits(node: Node): boolean {
  return node.type === "AwaitExpression" || (node.type === "ForOfStatement" && node.await);
}

/** Inside a function, or a class body's code, `await` belongs to it. */
function isOwnWorld(node: Node): boolean {
  return isFunction(node) || node.type === "StaticBlock";
}

function isDeclared(parents: readonly Node[], name: string): boolean {
  return parents.some((parent) => {
    if (isFunction(parent) && parent.params.flatMap(boundNames).includes(name)) return true;
    return blockDeclares(parent, name);
  });
}

function isDefaultExport(statement: Node): boolean {
  if (statement.type === "ExportDefaultDeclaration") return true;
  if (statement.type !== "ExportNamedDeclaration") return false;
  return statement.specifiers.some(({ exported }) => {
    return exported.type === "Identifier" && exported.name === "default";
  });
}
