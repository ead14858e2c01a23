import { contentHash } from "@holdfast/core/canonical";
import { boundNames } from "../../compile/tree/bound-names.ts";
import type { ParsedFile } from "../../compile/tree/parsed-file.ts";
import {
  type FunctionNode,
  isFunction,
  keyName,
  literalText,
  memberName,
  unwrap,
} from "../../compile/tree/plain-expression.ts";
import { childrenOf, type Node, walk } from "../../compile/tree/syntax-node.ts";
import type { ScriptView } from "./script-view.ts";
import type { Uses } from "./use.ts";

/** Names that lead to names; a longer chain stands as the code it begins with. */
const hopsMax = 8;
/** Nodes looked at for one value: names that lead to each other would be written out for ever. */
const nodesMax = 5_000;
/** What a person still reads; a longer text is told by its beginning and its hash. */
const formLengthMax = 160;
const hashLength = 12;

/** Where a value stands: the nodes around it, outermost first, and the file of the innermost. */
export type ReadAt = {
  readonly trail: readonly Node[];
  readonly file: ParsedFile;
  readonly hops: number;
};

export type SitedValue = { readonly node: Node; readonly at: ReadAt };

/** Where a name comes from. */
type Origin =
  /** The value, and the way from it to the name: `.id` of `const { id } = order`. */
  | { readonly kind: "value"; readonly value: SitedValue; readonly way: string }
  /** It comes in from elsewhere, as an element of a list does. */
  | { readonly kind: "given"; readonly way: string }
  /** It changes as the code runs. */
  | { readonly kind: "changing"; readonly code: Node };

/**
 * Writes down what a value is made of, so that two versions of the code that make it alike give
 * the same text: what variables are called and how the code is laid out is no part of it. Unlike
 * a form of items it never takes two things for one: what it has no words for it writes out.
 */
export class ValueReader {
  readonly #view: ScriptView;
  readonly #uses: Uses;
  #nodes = 0;

  constructor(view: ScriptView, uses: Uses) {
    this.#view = view;
    this.#uses = uses;
  }

  /** The fixed text, with `{…}` where a value comes in. */
  form(node: Node, at: ReadAt): string {
    this.#nodes = 0;
    const text = this.#fixed(node, at);
    if (text.length <= formLengthMax) return text;
    return `${text.slice(0, formLengthMax)}… {code ${hashOf(text)}}`;
  }

  /** The value of a name that never stands for another; null = it does, or comes from elsewhere. */
  constant(name: string, at: ReadAt): SitedValue | null {
    const origin = this.#origin(name, at);
    return origin?.kind === "value" && origin.way === "" ? origin.value : null;
  }

  #fixed(given: Node, at: ReadAt): string {
    const node = unwrap(given);
    const text = literalText(node);
    if (text !== null) return text;
    if (node.type === "TemplateLiteral") {
      const parts = node.quasis.map(({ value }, index) => {
        const inner = node.expressions[index];
        return `${value.cooked ?? ""}${inner ? this.#fixed(inner, at) : ""}`;
      });
      return parts.join("");
    }
    if (node.type === "BinaryExpression" && node.operator === "+") {
      return `${this.#fixed(node.left, at)}${this.#fixed(node.right, at)}`;
    }
    if (node.type === "Identifier") {
      const value = this.constant(node.name, at);
      if (value && literalText(value.node) !== null) return this.#fixed(value.node, value.at);
    }
    return `{${this.#made(node, at)}}`;
  }

  /** What a value is made of, written as one text. */
  #made(given: Node, at: ReadAt): string {
    const node = unwrap(given);
    this.#nodes += 1;
    if (this.#nodes > nodesMax || at.hops > hopsMax) return `code ${codeText([node])}`;
    switch (node.type) {
      case "Identifier":
        return this.#named(node.name, at);
      case "MemberExpression": {
        const name = memberName(node);
        const way = name === null ? `[${this.#made(node.property, at)}]` : `.${name}`;
        return `${this.#made(node.object, at)}${way}`;
      }
      case "CallExpression":
        return this.#called(node, at);
      case "Property":
        return `${this.#keyOf(node, at)}: ${this.#made(node.value, at)}`;
      case "VariableDeclarator":
        // Its names are written out where they are used.
        return node.init ? this.#made(node.init, at) : "";
      case "Literal":
        return literalText(node) ?? node.raw ?? codeText([node]);
      default:
        return this.#whole(node, at);
    }
  }

  #keyOf(node: Extract<Node, { type: "Property" }>, at: ReadAt): string {
    return keyName(node, node.key) ?? this.#made(node.key, at);
  }

  #whole(node: Node, at: ReadAt): string {
    const inner = { ...at, trail: [...at.trail, node] };
    const parts = isFunction(node) ? (node.body ? [node.body] : []) : childrenOf(node);
    const operator: unknown = "operator" in node ? ` ${String(node.operator)}` : "";
    const fixed = node.type === "TemplateElement" ? ` ${node.value.raw}` : "";
    const made = parts.map((each) => this.#made(each, inner)).join(", ");
    return `${node.type}${operator}${fixed}(${made})`;
  }

  #called(node: Extract<Node, { type: "CallExpression" }>, at: ReadAt): string {
    const given = node.arguments.map((each) => this.#made(each, at)).join(", ");
    const known = this.#uses.inlined.get(node);
    if (!known || at.trail.includes(known)) return `${this.#made(node.callee, at)}(${given})`;
    const file = this.#uses.functions.get(known) ?? at.file;
    const text = this.#made(known, { trail: [], file, hops: at.hops + 1 });
    return `code ${hashOf(text)}(${given})`;
  }

  #named(name: string, at: ReadAt): string {
    const origin = this.#origin(name, at);
    // A name of the language, or one that the walk did not come by.
    if (origin === null) return name;
    switch (origin.kind) {
      case "given":
        return `*${origin.way}`;
      case "changing":
        return `code ${codeText([origin.code])}`;
      case "value": {
        const { node, at: where } = origin.value;
        return `${this.#made(node, { ...where, hops: at.hops + 1 })}${origin.way}`;
      }
    }
  }

  #origin(name: string, at: ReadAt): Origin | null {
    for (let index = at.trail.length - 1; index >= 0; index -= 1) {
      const scope = at.trail[index];
      const around: ReadAt = { ...at, trail: at.trail.slice(0, index) };
      const origin = scope ? this.#originIn(scope, name, around) : null;
      if (origin) return origin;
    }
    const found = this.#view.find(at.file, name);
    if (!found) return null;
    if (found.node.type === "VariableDeclaration") return { kind: "changing", code: found.node };
    const { node, file } = found;
    if (isChanged(name, file.program)) return { kind: "changing", code: file.program };
    return { kind: "value", value: { node, at: { trail: [], file, hops: at.hops } }, way: "" };
  }

  #originIn(scope: Node, name: string, around: ReadAt): Origin | null {
    if (isFunction(scope)) return this.#parameter(scope, name, around);
    if (scope.type === "ForOfStatement" && scope.left.type === "VariableDeclaration") {
      const pattern = scope.left.declarations[0]?.id;
      const way = pattern ? wayIn(pattern, name) : null;
      return way === null ? null : { kind: "given", way };
    }
    if (scope.type !== "BlockStatement") return null;
    for (const statement of scope.body) {
      if (statement.type === "FunctionDeclaration" && statement.id?.name === name) {
        const at = { ...around, trail: [...around.trail, scope] };
        return { kind: "value", value: { node: statement, at }, way: "" };
      }
      if (statement.type !== "VariableDeclaration") continue;
      for (const { id, init } of statement.declarations) {
        const way = wayIn(id, name);
        if (way === null) continue;
        const code = around.trail.findLast(isFunction) ?? scope;
        const isFixed = statement.kind === "const" && init && !isChanged(name, code);
        if (!isFixed) return { kind: "changing", code };
        const at = { ...around, trail: [...around.trail, scope] };
        return { kind: "value", value: { node: init, at }, way };
      }
    }
    return null;
  }

  /** What the call gives that leads here; in a function that is handed on, nobody knows. */
  #parameter(scope: FunctionNode, name: string, around: ReadAt): Origin | null {
    const index = scope.params.findIndex((each) => wayIn(each, name) !== null);
    const param = scope.params[index];
    if (!param) return null;
    if (isChanged(name, scope)) return { kind: "changing", code: scope };
    const way = wayIn(param, name) ?? "";
    const call = around.trail.at(-1);
    const isLed = call?.type === "CallExpression" && this.#uses.inlined.get(call) === scope;
    const argument = isLed ? call.arguments[index] : undefined;
    if (!argument) return { kind: "given", way };
    const trail = around.trail.slice(0, -1);
    const caller = trail.findLast(isFunction);
    const file = (caller && this.#uses.functions.get(caller)) ?? around.file;
    return { kind: "value", value: { node: argument, at: { ...around, trail, file } }, way };
  }
}

/** `.id` for `id` in `{ id }` or `{ id: x }`; empty for a plain name; null = it is not in there. */
function wayIn(pattern: Node, name: string): string | null {
  if (!boundNames(pattern).includes(name)) return null;
  if (pattern.type === "AssignmentPattern") {
    const way = wayIn(pattern.left, name) ?? "";
    return `${way} or ${codeText([pattern.right])}`;
  }
  if (pattern.type === "ArrayPattern") {
    const index = pattern.elements.findIndex((each) => each && boundNames(each).includes(name));
    const inner = pattern.elements[index];
    return `[${index}]${(inner && wayIn(inner, name)) ?? ""}`;
  }
  if (pattern.type !== "ObjectPattern") return "";
  for (const each of pattern.properties) {
    if (each.type !== "Property" || !boundNames(each.value).includes(name)) continue;
    return `.${keyName(each, each.key) ?? "[]"}${wayIn(each.value, name) ?? ""}`;
  }
  return "";
}

/** Methods that change the list or map they are called on. */
const changing = /^(push|unshift|splice|pop|shift|sort|reverse|fill|set|add|delete|clear)$/;

/** Whether the code gives the name another value, or changes what it stands for. */
function isChanged(name: string, code: Node): boolean {
  let found = false;
  const isOf = (given: Node): boolean => {
    const node = unwrap(given);
    if (node.type === "MemberExpression") return isOf(node.object);
    return node.type === "Identifier" && node.name === name;
  };
  walk(code, (node) => {
    if (node.type === "AssignmentExpression") found ||= isOf(node.left);
    if (node.type === "UpdateExpression") found ||= isOf(node.argument);
    if (node.type === "CallExpression") {
      const callee = unwrap(node.callee);
      found ||= changing.test(memberName(callee) ?? "") && isOf(callee);
    }
    return !found;
  });
  return found;
}

/** Where it stands in its file, and how a literal was written, is no part of the code. */
const notCode = new Set(["start", "end", "range", "loc", "parent", "raw", "value"]);
const types = /^(typeAnnotation|returnType|typeParameters|typeArguments|superTypeArguments)$/;

/** The hash of code as it stands, without its layout, comments and types. */
export function codeText(nodes: readonly Node[]): string {
  const text = JSON.stringify(nodes, (key, value: unknown) => {
    if (types.test(key)) return undefined;
    if (key === "value" && typeof value !== "bigint") return value;
    return notCode.has(key) ? undefined : value;
  });
  return hashOf(text);
}

function hashOf(text: string): string {
  return contentHash(text).slice(-hashLength);
}
