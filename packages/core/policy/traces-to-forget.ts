import type { Seq } from "../view/rows.ts";
import type { Policy } from "./policy.ts";

/** Traces of so many facts are forgotten at once: most changes then have nothing to forget. */
const factsAtOnce = 1_000;

/**
 * For a change that moves the head: up to where traces are no longer wanted; null = it is not its
 * turn. Told by the positions alone, so that it does not matter which host makes the change.
 */
export function tracesToForget(
  { traceFactsKept }: Policy,
  head: { readonly before: Seq; readonly after: Seq },
): Seq | null {
  const turn = Math.floor(head.after / factsAtOnce) * factsAtOnce;
  if (head.before >= turn) return null;
  const through = turn - traceFactsKept;
  return through > 0 ? through : null;
}
