import type { ParsedFile } from "../../compile/tree/parsed-file.ts";
import {
  type FunctionNode,
  isFunction,
  memberName,
  unwrap,
} from "../../compile/tree/plain-expression.ts";
import { type Node, walk } from "../../compile/tree/syntax-node.ts";
import type { CallNode, Use, Uses } from "./use.ts";

/** What becomes of the promise of a call, as far as the source shows it. */
export type Followed = {
  /** The call at which it, or that of a function around it, is let go; null = something has it. */
  readonly left: { readonly node: Node; readonly file: ParsedFile } | null;
  /** Whether it is put together with others: `Promise.all`. */
  readonly joined: boolean;
};

type Step =
  | { readonly goes: "on"; readonly value: Node; readonly at: number }
  | { readonly goes: "nowhere" }
  | { readonly goes: "elsewhere" };

const elsewhere: Step = { goes: "elsewhere" };
const nowhere: Step = { goes: "nowhere" };

/** From the call outwards, through the functions that wait for it or return it. */
export function followPromise(use: Use, uses: Uses): Followed {
  const { trail } = use;
  let joined = false;
  let value: Node = use.call ?? use.start;
  for (let at = trail.length - 1; at >= 0; ) {
    const parent = trail[at] as Node;
    joined ||= isJoin(parent) || isJoinedByName(value, parent, functionAround(trail, at));
    const step = stepOf(value, at, { trail, uses });
    if (step.goes === "elsewhere") return { left: null, joined };
    if (step.goes === "nowhere") return { left: leftAt(use, value, { at, uses }), joined };
    ({ value, at } = step);
  }
  return { left: null, joined };
}

function leftAt(use: Use, value: Node, { at, uses }: { at: number; uses: Uses }) {
  if (value === use.call) return { node: use.start, file: use.file };
  const around = functionAround(use.trail, at);
  return { node: value, file: (around && uses.functions.get(around)) ?? use.file };
}

type Way = { readonly trail: readonly Node[]; readonly uses: Uses };

/** The parent at `at` is given `value`, a promise or a list of them. */
function stepOf(value: Node, at: number, way: Way): Step {
  const parent = way.trail[at] as Node;
  const on: Step = { goes: "on", value: parent, at: at - 1 };
  switch (parent.type) {
    case "ExpressionStatement":
      return nowhere;
    case "UnaryExpression":
      return parent.operator === "void" ? nowhere : elsewhere;
    case "SequenceExpression":
      return parent.expressions.at(-1) === value ? on : nowhere;
    case "LogicalExpression":
      return parent.right === value ? on : elsewhere;
    case "ConditionalExpression":
      return parent.test === value ? elsewhere : on;
    case "VariableDeclarator":
      return isNeverRead(parent.id, functionAround(way.trail, at)) ? nowhere : elsewhere;
    case "MemberExpression":
      return chained(parent, at, way);
    case "CallExpression":
      return isJoin(parent) ? on : elsewhere;
    case "AwaitExpression":
    case "ReturnStatement":
      return outOfFunction(way.trail.slice(0, at).findLastIndex(isFunction), way);
    case "ArrowFunctionExpression":
      return parent.body === value ? outOfFunction(at, way) : elsewhere;
    case "ArrayExpression":
    case "ParenthesizedExpression":
    case "ChainExpression":
    case "TSAsExpression":
    case "TSSatisfiesExpression":
    case "TSNonNullExpression":
      return on;
    default:
      return elsewhere;
  }
}

/** `call.then(…)` is another promise, and as good as the first. */
function chained(member: Node, at: number, { trail }: Way): Step {
  const call = trail[at - 1];
  const isChain = /^(then|catch|finally)$/.test(memberName(member) ?? "");
  if (!isChain || call?.type !== "CallExpression" || call.callee !== member) return elsewhere;
  return { goes: "on", value: call, at: at - 2 };
}

/** What waits for it is a function, whose own promise goes to whoever called it. */
function outOfFunction(at: number, { trail, uses }: Way): Step {
  const code = trail[at];
  const call = trail[at - 1];
  if (code === undefined || call?.type !== "CallExpression") return elsewhere;
  const name = memberName(unwrap(call.callee));
  if (name === "forEach" && call.arguments[0] === code) return nowhere;
  const isCalled = uses.inlined.get(call) === code;
  const isMapped = /^(map|flatMap)$/.test(name ?? "") && call.arguments[0] === code;
  return isCalled || isMapped ? { goes: "on", value: call, at: at - 2 } : elsewhere;
}

function functionAround(trail: readonly Node[], at: number): FunctionNode | null {
  return trail.slice(0, at + 1).findLast(isFunction) ?? null;
}

function isJoin(node: Node): node is CallNode {
  if (node.type !== "CallExpression") return false;
  const callee = unwrap(node.callee);
  if (callee.type !== "MemberExpression" || callee.object.type !== "Identifier") return false;
  const name = memberName(callee) ?? "";
  return callee.object.name === "Promise" && /^(all|allSettled|any|race)$/.test(name);
}

/** `const list = …map(…)` or `list.push(…)`, and somewhere `Promise.all(list)`. */
function isJoinedByName(value: Node, parent: Node, around: FunctionNode | null): boolean {
  const name = holderOf(value, parent);
  let found = false;
  if (name === null || around === null) return false;
  walk(around, (node) => {
    const given = isJoin(node) ? node.arguments[0] : undefined;
    if (given?.type === "Identifier" && given.name === name) found = true;
    return !found;
  });
  return found;
}

function holderOf(value: Node, parent: Node): string | null {
  if (parent.type === "VariableDeclarator") {
    return parent.id.type === "Identifier" && parent.init === value ? parent.id.name : null;
  }
  if (parent.type !== "CallExpression" || parent.callee.type !== "MemberExpression") return null;
  const { object } = parent.callee;
  const isKept = memberName(parent.callee) === "push" && object.type === "Identifier";
  return isKept ? object.name : null;
}

/** A name that stands in its function once is only written. */
function isNeverRead(id: Node, around: FunctionNode | null): boolean {
  if (id.type !== "Identifier" || around === null) return false;
  let count = 0;
  walk(around, (node) => {
    if (node.type === "Identifier" && node.name === id.name) count += 1;
    return count < 2;
  });
  return count === 1;
}
