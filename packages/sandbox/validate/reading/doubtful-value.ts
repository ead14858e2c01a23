import { memberName, unwrap } from "../../compile/tree/plain-expression.ts";
import { childrenOf, type Node } from "../../compile/tree/syntax-node.ts";

/** What a value is taken from, judged by names alone: it may mean something else. */
export type Doubt = { readonly node: Node; readonly what: "moment" | "place" | "content" };

const moment = /(_at|[a-z]At)$|^(last_?)?modified$|^(last_?)?updated$|^(m?time_?stamp|mtime)$/;
const place =
  /^(i|idx|index|position|offset|ordinal|(row|line)_?(index|number|no|Index|Number|No))$/;
const content = /^(md5|crc|sha)\d*|hash|checksum|digest|fingerprint|^e_?tag$/i;
const finding = /^((last)?indexOf|find(Last)?Index)$/i;
/** Taking a part out of a text: where it stands is not what comes out. */
const cutting = /^(slice|substr(ing)?|split|at|charAt|padStart|padEnd)$/;

/** Null = nothing about this part of a value is doubtful; its own parts may be. */
export function doubtAt(node: Node): Doubt | null {
  if (node.type === "MemberExpression") {
    const name = memberName(node) ?? "";
    const what = name === "length" ? "place" : meaningOf(name);
    return what && { node, what };
  }
  if (node.type !== "CallExpression") return null;
  const callee = unwrap(node.callee);
  const name = callee.type === "Identifier" ? callee.name : (memberName(callee) ?? "");
  if (finding.test(name)) return { node, what: "place" };
  if (content.test(name)) return { node, what: "content" };
  const [first] = node.arguments;
  // A list that is written out has parts which are looked at one by one.
  const isWhole = name === "stringify" && first && unwrap(first).type !== "ArrayExpression";
  return isWhole ? { node, what: "content" } : null;
}

/** A name that comes from outside the code: a parameter, or a part of one. */
export function doubtOfName(
  node: Extract<Node, { type: "Identifier" }>,
  scope: Node,
): Doubt | null {
  const what = meaningOf(node.name);
  // `i` of a for-of is whatever the author calls so; that of a for-in is a key.
  if (what === "place" && node.name === "i" && scope.type !== "ForInStatement") return null;
  return what && { node, what };
}

/** Where the parts of a value lie; what only says where to cut is none. */
export function partsOf(node: Node): readonly Node[] {
  if (node.type !== "CallExpression") return childrenOf(node);
  const isCut = cutting.test(memberName(unwrap(node.callee)) ?? "");
  return isCut ? [node.callee] : childrenOf(node);
}

function meaningOf(name: string): Doubt["what"] | null {
  if (moment.test(name)) return "moment";
  if (place.test(name)) return "place";
  return content.test(name) ? "content" : null;
}
