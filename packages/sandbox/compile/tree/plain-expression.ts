import type { ArrowFunctionExpression, Function as FunctionSyntax } from "oxc-parser";
import type { Node } from "./syntax-node.ts";

/** The expression inside parentheses, `await`, optional chains and TypeScript's assertions. */
export function unwrap(node: Node): Node {
  switch (node.type) {
    case "ParenthesizedExpression":
    case "ChainExpression":
    case "TSAsExpression":
    case "TSSatisfiesExpression":
    case "TSNonNullExpression":
    case "TSTypeAssertion":
    case "TSInstantiationExpression":
      return unwrap(node.expression);
    case "AwaitExpression":
      return unwrap(node.argument);
    default:
      return node;
  }
}

/** The text of a string literal or of a template without placeholders; null for anything else. */
export function literalText(node: Node | null | undefined): string | null {
  if (node === null || node === undefined) return null;
  const inner = unwrap(node);
  if (inner.type === "Literal" && typeof inner.value === "string") return inner.value;
  if (inner.type !== "TemplateLiteral" || inner.quasis.length !== 1) return null;
  return inner.quasis[0]?.value.cooked ?? null;
}

/** `a` in `x.a`, `x["a"]`, `{ a: 1 }` and `{ "a": 1 }`; null when it is only known at run time. */
export function keyName(owner: { readonly computed: boolean }, key: Node): string | null {
  if (key.type === "Identifier" && !owner.computed) return key.name;
  if (key.type === "Literal" && typeof key.value === "number") return String(key.value);
  return literalText(key);
}

/** Null also for `x[y]` and for private names. */
export function memberName(node: Node): string | null {
  return node.type === "MemberExpression" ? keyName(node, node.property) : null;
}

export type FunctionNode = ArrowFunctionExpression | FunctionSyntax;

export function isFunction(node: Node): node is FunctionNode {
  return (
    node.type === "ArrowFunctionExpression" ||
    node.type === "FunctionDeclaration" ||
    node.type === "FunctionExpression"
  );
}

/** The property of an object expression under that name; the last one wins, as at run time. */
export function propertyOf(node: Node, name: string) {
  if (node.type !== "ObjectExpression") return null;
  return (
    node.properties.findLast(
      (each) => each.type === "Property" && keyName(each, each.key) === name,
    ) ?? null
  );
}

export function hasSpread(node: Node): boolean {
  return (
    node.type === "ObjectExpression" && node.properties.some((each) => each.type !== "Property")
  );
}
