import { boundNames } from "../../compile/tree/bound-names.ts";
import {
  isFunction,
  keyName,
  literalText,
  memberName,
  propertyOf,
  unwrap,
} from "../../compile/tree/plain-expression.ts";
import type { Node } from "../../compile/tree/syntax-node.ts";
import type { Handler } from "./handlers.ts";
import type { Use } from "./use.ts";

/** Names that lead to names; a longer chain is not followed. */
const hopsMax = 6;

/**
 * How a job's code makes the ids of its items, and its subkeys: the fixed text, with `{…}`
 * where a value comes in, and what it is taken from. Two versions with other forms make other ids,
 * as far as a machine can see; how the variables are called is no part of it.
 */
export function itemForms({ phase, uses }: Handler): readonly string[] {
  return phase === "job" ? uses.all.flatMap(formsOf) : [];
}

function formsOf(use: Use): string[] {
  const [first] = use.call?.arguments ?? [];
  if (!first) return [];
  if (use.operation === null) {
    return use.member === "withItem" ? [`item ${formOf(first, use.trail)}`] : [];
  }
  const property = propertyOf(unwrap(first), "subkey");
  return property?.type === "Property" ? [`subkey ${formOf(property.value, use.trail)}`] : [];
}

function formOf(given: Node, trail: readonly Node[], hops = 0): string {
  const node = unwrap(given);
  const fixed = literalText(node);
  if (fixed !== null) return fixed;
  if (node.type === "TemplateLiteral") {
    return node.quasis
      .map(({ value }, index) => {
        const inner = node.expressions[index];
        return `${value.cooked ?? ""}${inner ? formOf(inner, trail, hops) : ""}`;
      })
      .join("");
  }
  if (node.type === "BinaryExpression" && node.operator === "+") {
    return `${formOf(node.left, trail, hops)}${formOf(node.right, trail, hops)}`;
  }
  return `{${sourceOf(node, trail, hops)}}`;
}

/** What a value is taken from: the way through its members, not the name it begins with. */
function sourceOf(given: Node, trail: readonly Node[], hops: number): string {
  const node = unwrap(given);
  if (node.type === "Identifier") {
    const found = hops < hopsMax ? declared(node.name, trail) : null;
    return found === null ? "*" : found(trail, hops + 1);
  }
  if (node.type === "MemberExpression") {
    return `${sourceOf(node.object, trail, hops)}.${memberName(node) ?? "[]"}`;
  }
  if (node.type === "CallExpression") {
    const callee = unwrap(node.callee);
    const name = callee.type === "Identifier" ? callee.name : sourceOf(callee, trail, hops);
    const given = node.arguments.map((each) => sourceOf(each, trail, hops));
    return `${name}(${given.join(", ")})`;
  }
  return literalText(node) ?? node.type;
}

type Found = (trail: readonly Node[], hops: number) => string;

/** The nearest declaration of a name that says where it comes from; null = a parameter, or none. */
function declared(name: string, trail: readonly Node[]): Found | null {
  for (const scope of trail.toReversed()) {
    if (isFunction(scope)) {
      const found = scope.params.map((each) => inPattern(each, name)).find((each) => each !== null);
      if (found !== undefined) return () => found;
    }
    if (scope.type === "ForOfStatement" && scope.left.type === "VariableDeclaration") {
      const pattern = scope.left.declarations[0]?.id;
      const found = pattern ? inPattern(pattern, name) : null;
      if (found !== null) return () => found;
    }
    if (scope.type !== "BlockStatement") continue;
    for (const statement of scope.body) {
      if (statement.type !== "VariableDeclaration") continue;
      for (const { id, init } of statement.declarations) {
        if (!boundNames(id).includes(name)) continue;
        if (id.type === "Identifier" && init) return (at, hops) => sourceOf(init, at, hops);
        const found = inPattern(id, name) ?? "*";
        return () => found;
      }
    }
  }
  return null;
}

/** `*.id` for `id` in `{ id }` or `{ id: x }`; `*` for a plain name; null = it is not in there. */
function inPattern(pattern: Node, name: string): string | null {
  if (!boundNames(pattern).includes(name)) return null;
  if (pattern.type !== "ObjectPattern") return "*";
  for (const each of pattern.properties) {
    if (each.type !== "Property" || !boundNames(each.value).includes(name)) continue;
    const inner = inPattern(each.value, name) ?? "*";
    return `*.${keyName(each, each.key) ?? "[]"}${inner.slice(1)}`;
  }
  return "*";
}
