import type { ParsedFile } from "../../compile/tree/parsed-file.ts";
import {
  type FunctionNode,
  isFunction,
  keyName,
  memberName,
  unwrap,
} from "../../compile/tree/plain-expression.ts";
import type { Node } from "../../compile/tree/syntax-node.ts";
import { isReservedMember } from "./context-members.ts";
import type { ScriptView } from "./script-view.ts";

/** What a name or a member expression means to us. */
export type Reference =
  | { readonly kind: "ctx" }
  | { readonly kind: "member"; readonly name: string; readonly node: Node }
  | {
      readonly kind: "operation";
      readonly connection: string;
      readonly name: string;
      readonly node: Node;
    }
  | {
      readonly kind: "function";
      readonly node: FunctionNode;
      readonly file: ParsedFile;
      readonly names: Names;
    };

/** Names in force at a place; null = declared, and nothing to us. */
export type Names = Map<string, Reference | null>;

export type Scope = {
  readonly view: ScriptView;
  readonly file: ParsedFile;
  readonly names: Names;
  /** In jobs every connection and withItem are globals too. */
  readonly isGlobal: (name: string) => boolean;
};

export function resolve(given: Node, scope: Scope): Reference | null {
  const node = unwrap(given);
  if (isFunction(node)) {
    return { kind: "function", node, file: scope.file, names: scope.names };
  }
  if (node.type === "Identifier") return resolveName(node, node.name, scope);
  const name = memberName(node);
  if (node.type !== "MemberExpression" || name === null) return null;
  const object = resolve(node.object, scope);
  return object && memberOf(object, name, node.property);
}

function resolveName(node: Node, name: string, scope: Scope): Reference | null {
  const known = scope.names.get(name);
  if (known !== undefined) return known;
  const found = scope.view.find(scope.file, name);
  const target = found && unwrap(found.node);
  if (found && target && isFunction(target)) {
    return { kind: "function", node: target, file: found.file, names: new Map() };
  }
  if (scope.view.declares(scope.file, name) || !scope.isGlobal(name)) return null;
  return { kind: "member", name, node };
}

function memberOf(object: Reference, name: string, node: Node): Reference | null {
  if (object.kind === "ctx") return { kind: "member", name, node };
  if (object.kind !== "member" || isReservedMember(object.name)) return null;
  return { kind: "operation", connection: object.name, name, node };
}

/** Puts the names of a pattern in force: `c`, or `{ shop, publish: p }` taken out of ctx. */
export function bind(pattern: Node, value: Reference | null, names: Names): void {
  switch (pattern.type) {
    case "Identifier":
      names.set(pattern.name, value);
      return;
    case "AssignmentPattern":
      bind(pattern.left, value, names);
      return;
    case "ObjectPattern":
      for (const each of pattern.properties) {
        if (each.type === "RestElement") bind(each.argument, null, names);
        else {
          const name = keyName(each, each.key);
          const inner = value && name !== null ? memberOf(value, name, each.key) : null;
          bind(each.value, inner, names);
        }
      }
      return;
    case "ArrayPattern":
      for (const each of pattern.elements) if (each) bind(each, null, names);
      return;
    case "RestElement":
      bind(pattern.argument, null, names);
      return;
    default:
      return;
  }
}
