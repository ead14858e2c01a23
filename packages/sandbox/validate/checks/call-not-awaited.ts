import {
  type FunctionNode,
  isFunction,
  memberName,
  unwrap,
} from "../../compile/tree/plain-expression.ts";
import type { Node } from "../../compile/tree/syntax-node.ts";
import type { Problem } from "../problem.ts";
import { followPromise } from "../reading/follow-promise.ts";
import type { Use } from "../reading/use.ts";
import { type Check, problemIn, useName } from "./check-context.ts";

/** The host answers these later; what else ctx offers is done when the call returns. */
const answeredLater: ReadonlySet<string> = new Set(["peek", "getByIds", "withItem"]);

/** A handler that returns while a call is open fails; what follows it may simply be lost. */
export const callNotAwaited: Check = ({ handlers }) =>
  handlers.flatMap(({ phase, uses }) =>
    uses.all.flatMap((use): Problem[] => {
      if (use.call === null || use.member === "log") return [];
      const loop = looseLoop(use.trail);
      if (loop) {
        const cause = "forEach waits for none of these, and the handler goes on without them.";
        const file = uses.functions.get(loop) ?? use.file;
        return [problemIn(file, loop, "call_not_awaited", cause)];
      }
      // The mutation of `mutate` ends the phase at once, with and without await.
      if (phase === "mutate" || !isLater(use)) return [];
      const { left } = followPromise(use, uses);
      if (left === null) return [];
      const cause = `Nothing waits for ${useName(use)}.`;
      return [problemIn(left.file, left.node, "call_not_awaited", cause)];
    }),
  );

function isLater({ operation, member }: Use): boolean {
  return operation !== null || answeredLater.has(member);
}

/** An async function around a call, however far out, that is handed to forEach. */
function looseLoop(trail: readonly Node[]): FunctionNode | null {
  for (const [at, code] of trail.entries()) {
    const caller = trail[at - 1];
    if (!isFunction(code) || !code.async || caller?.type !== "CallExpression") continue;
    const isLoop = memberName(unwrap(caller.callee)) === "forEach";
    if (isLoop && caller.arguments[0] === code) return code;
  }
  return null;
}
