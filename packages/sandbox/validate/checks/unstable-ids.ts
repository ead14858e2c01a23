import { isFunction, memberName, propertyOf, unwrap } from "../../compile/tree/plain-expression.ts";
import type { Node } from "../../compile/tree/syntax-node.ts";
import type { Problem } from "../problem.ts";
import type { ProblemCode } from "../problem-codes.ts";
import { returnedValues } from "../reading/returned-values.ts";
import { findInstability, judgeStability } from "../reading/unstable-value.ts";
import type { Use } from "../reading/use.ts";
import { type Check, problemIn } from "./check-context.ts";

const sources = {
  time: "the clock",
  random: "randomness",
  position: "a position",
} as const;

const doubtful = {
  moment: "a moment at which something happened to the thing",
  place: "a place in a list",
  content: "what the thing has in it",
} as const;

/**
 * L13, R26, R80: an id must be the same when the handler runs again. `next` is left out: its clock
 * and its randomness repeat, and what it goes through is pinned (R147).
 */
export const unstableIds: Check = ({ handlers }) =>
  handlers
    .filter(({ phase }) => phase === "producer" || phase === "job")
    .flatMap(({ uses, phase }) =>
      uses.all.flatMap((use) => {
        const call = use.call;
        if (!call) return [];
        if (use.operation !== null) {
          const subkey = phase === "job" ? fieldOf(call.arguments[0], "subkey") : null;
          return subkey ? checkOfItem(use, subkey, "unstable_subkey", "The subkey") : [];
        }
        const [first, second] = call.arguments;
        if (use.member === "publish") {
          return eventsIn(second).flatMap(({ event, within }) => {
            const id = fieldOf(event, "messageId");
            const inner = { ...use, trail: [...use.trail, ...within] };
            return id ? check(inner, id, "unstable_message_id", "The messageId") : [];
          });
        }
        if (use.member !== "withItem" || !first) return [];
        return checkOfItem(use, first, "unstable_item_id", "The item's id");
      }),
    );

type Published = { readonly event: Node; readonly within: readonly Node[] };

/** One event, a list of them, or a list that is made with map. */
function eventsIn(argument: Node | undefined): readonly Published[] {
  if (!argument) return [];
  const node = unwrap(argument);
  if (node.type === "ArrayExpression") {
    return node.elements.flatMap((each) => (each ? [{ event: each, within: [] }] : []));
  }
  const [made] = node.type === "CallExpression" ? node.arguments : [];
  if (node.type !== "CallExpression" || !made || !isFunction(made)) {
    return [{ event: node, within: [] }];
  }
  if (!/^(map|flatMap)$/.test(memberName(unwrap(node.callee)) ?? "")) return [];
  const within = made.body?.type === "BlockStatement" ? [node, made, made.body] : [node, made];
  return returnedValues(made).map((event) => ({ event, within }));
}

/** Where it is not certain, its author is told what it looks like. */
function checkOfItem(use: Use, node: Node, code: ProblemCode, what: string): Problem[] {
  const { unstable, doubt } = judgeStability(node, use.trail);
  if (unstable || !doubt) return check(use, node, code, what);
  const cause = `${what} seems to come from ${doubtful[doubt.what]}.`;
  return [problemIn(use.file, doubt.node, "id_may_change", cause)];
}

function check(use: Use, node: Node, code: ProblemCode, what: string): Problem[] {
  const found = findInstability(node, use.trail);
  if (!found) return [];
  const cause = `${what} comes from ${sources[found.what]}.`;
  return [problemIn(use.file, found.node, code, cause)];
}

function fieldOf(argument: Node | undefined, key: string): Node | null {
  const property = argument ? propertyOf(unwrap(argument), key) : null;
  return property?.type === "Property" ? property.value : null;
}
