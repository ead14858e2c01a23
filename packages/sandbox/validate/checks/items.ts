import { type Node, walk } from "../../compile/tree/syntax-node.ts";
import type { Problem } from "../problem.ts";
import { followPromise } from "../reading/follow-promise.ts";
import type { Handler } from "../reading/handlers.ts";
import type { OperationNatures } from "../reading/operation-nature.ts";
import type { Use, Uses } from "../reading/use.ts";
import { type Check, problemIn, useName } from "./check-context.ts";

/** L2, L8, L17, R82: mutations of a job belong to items, items do not nest, done ones rest. */
export const items: Check = ({ handlers, natures }) =>
  handlers.filter(({ phase }) => phase === "job").flatMap((job) => checkJob(job, natures));

function checkJob({ uses }: Handler, natures: OperationNatures): Problem[] {
  const problems: Problem[] = [];
  const unguarded = new Set<Node>();
  for (const use of uses.all) {
    if (use.member === "withItem" && use.operation === null) {
      problems.push(...checkItem(use, uses));
    }
    const nature = use.call && natures.of(use);
    if (nature?.kind !== "mutation") continue;
    if (use.item === null) {
      if (!nature.certain) continue;
      const cause = `${useName(use)} is a mutation outside of any item.`;
      problems.push(problemIn(use.file, use.start, "mutation_outside_item", cause));
    } else if (!unguarded.has(use.item) && !looksAtDone(use.item, uses)) {
      unguarded.add(use.item);
      const cause = `${useName(use)} is called without a look at ctx.item.isDone.`;
      problems.push(problemIn(use.file, use.start, "item_without_done_guard", cause));
    }
  }
  return problems;
}

/** One at a time: not inside another, and not begun together with others. */
function checkItem(use: Use, uses: Uses): Problem[] {
  if (use.item !== null) {
    const cause = "withItem stands inside another item.";
    return [problemIn(use.file, use.start, "nested_item", cause)];
  }
  if (use.call === null || !followPromise(use, uses).joined) return [];
  const cause = "These items are begun together and still run one after the other.";
  return [problemIn(use.file, use.start, "items_begun_together", cause)];
}

/** Anywhere in the item, or in a helper it calls: how the guard is written is the author's. */
function looksAtDone(item: Node, uses: Handler["uses"], seen = new Set<Node>()): boolean {
  let found = false;
  walk(item, (node) => {
    if (node.type === "Identifier" && node.name === "isDone") found = true;
    const helper = uses.inlined.get(node);
    if (helper && !seen.has(helper)) {
      seen.add(helper);
      found ||= looksAtDone(helper, uses, seen);
    }
    // A handler that is named instead of written out: `withItem(id, title, book)`.
    if (node.type === "Identifier") {
      for (const each of uses.functions.keys()) {
        if (each.id?.name !== node.name || seen.has(each)) continue;
        seen.add(each);
        found ||= looksAtDone(each, uses, seen);
      }
    }
    return !found;
  });
  return found;
}
