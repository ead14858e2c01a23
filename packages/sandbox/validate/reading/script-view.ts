import { resolveImport } from "../../compile/resolve-import.ts";
import type { ScriptSource } from "../../compile/script-source.ts";
import { declaredNames } from "../../compile/tree/bound-names.ts";
import type { ParsedFile, Place } from "../../compile/tree/parsed-file.ts";
import { keyName, unwrap } from "../../compile/tree/plain-expression.ts";
import type { Node } from "../../compile/tree/syntax-node.ts";

/** A piece of syntax and the file it stands in. */
export type Sited<N extends Node = Node> = { readonly node: N; readonly file: ParsedFile };

type Imported = { readonly path: string; readonly name: string }; // "default", or "*"

/** Top-level names of the files, and what they stand for as far as it can be read off. */
export class ScriptView {
  readonly source: ScriptSource;
  readonly files: ReadonlyMap<string, ParsedFile>;
  private readonly scopes = new Map<ParsedFile, ReadonlyMap<string, Node | Imported>>();

  constructor(source: ScriptSource, files: ReadonlyMap<string, ParsedFile>) {
    this.source = source;
    this.files = files;
  }

  /** Whether the file declares the name at its top level, imports included. */
  declares(file: ParsedFile, name: string): boolean {
    return this.scopeOf(file).has(name);
  }

  /** Whether the name is one of the file's own top-level variables, not an import. */
  owns(file: ParsedFile, name: string): boolean {
    const found = this.scopeOf(file).get(name);
    return found !== undefined && "type" in found;
  }

  /** What a top-level name stands for: a function, or the value of a constant. Null = unknown. */
  find(file: ParsedFile, name: string, depth = 0): Sited | null {
    const found = this.scopeOf(file).get(name);
    if (found === undefined || depth > 20) return null;
    if ("type" in found) return { node: found, file };
    const target = this.files.get(found.path);
    return target ? this.exported(target, found.name, depth + 1) : null;
  }

  exported(file: ParsedFile, name: string, depth = 0): Sited | null {
    for (const statement of file.program.body) {
      if (statement.type === "ExportDefaultDeclaration" && name === "default") {
        return { node: statement.declaration, file };
      }
      if (statement.type !== "ExportNamedDeclaration") continue;
      if (statement.declaration && declaredNames(statement.declaration).includes(name)) {
        return this.find(file, name, depth);
      }
      for (const { local, exported } of statement.specifiers) {
        if (exported.type !== "Identifier" || exported.name !== name) continue;
        if (!statement.source && local.type === "Identifier")
          return this.find(file, local.name, depth);
      }
    }
    return null;
  }

  /** Follows names, wrappers and the SDK's marking functions to the thing itself. */
  settle({ node, file }: Sited, depth = 0): Sited {
    const inner = unwrap(node);
    if (depth > 20) return { node: inner, file };
    if (inner.type === "Identifier") {
      const found = this.find(file, inner.name);
      return found ? this.settle(found, depth + 1) : { node: inner, file };
    }
    const [argument] = inner.type === "CallExpression" ? inner.arguments : [];
    if (inner.type === "CallExpression" && argument && isMarking(inner.callee)) {
      return this.settle({ node: argument, file }, depth + 1);
    }
    return { node: inner, file };
  }

  placeOf({ node, file }: Sited): Place {
    return file.placeAt(node.start);
  }

  private scopeOf(file: ParsedFile): ReadonlyMap<string, Node | Imported> {
    const known = this.scopes.get(file);
    if (known) return known;
    const scope = new Map<string, Node | Imported>();
    for (const statement of file.program.body) this.addNames(file, statement, scope);
    this.scopes.set(file, scope);
    return scope;
  }

  private addNames(file: ParsedFile, statement: Node, scope: Map<string, Node | Imported>): void {
    if (statement.type === "ImportDeclaration") {
      const resolved = resolveImport(this.source, file.path, statement.source.value);
      for (const each of statement.specifiers) {
        const name =
          each.type === "ImportSpecifier" && each.imported.type === "Identifier"
            ? each.imported.name
            : each.type === "ImportDefaultSpecifier"
              ? "default"
              : "*";
        scope.set(each.local.name, { path: resolved.kind === "file" ? resolved.path : "", name });
      }
      return;
    }
    const declared =
      statement.type === "ExportNamedDeclaration" || statement.type === "ExportDefaultDeclaration"
        ? statement.declaration
        : statement;
    if (!declared) return;
    for (const name of declaredNames(declared)) scope.set(name, declared);
    if (declared.type !== "VariableDeclaration") return;
    for (const each of declared.declarations) {
      const constant = declared.kind === "const" && each.id.type === "Identifier" && each.init;
      if (constant && each.id.type === "Identifier") scope.set(each.id.name, constant);
    }
  }
}

const markings = ["workflow", "producer", "consumer", "job", "machine", "connection"];

function isMarking(callee: Node): boolean {
  if (callee.type === "Identifier") return markings.includes(callee.name);
  if (callee.type !== "MemberExpression" || callee.object.type !== "Identifier") return false;
  return markings.includes(keyName(callee, callee.property) ?? "");
}
