import type { Fact } from "../journal/fact.ts";
import type { View } from "../view/view.ts";

/**
 * Retry chains for which nothing that was kept is wanted any more: they have come to their end, or
 * begin afresh. `after` has the facts in it already.
 */
export function chainsOver(after: View, facts: readonly Fact[]): readonly string[] {
  let chains: Set<string> | null = null;
  for (const fact of facts) {
    const chain = chainEndedBy(after, fact);
    if (chain !== null) chains = (chains ?? new Set()).add(chain);
  }
  return chains === null ? none : [...chains];
}

const none: readonly string[] = [];

function chainEndedBy(after: View, fact: Fact): string | null {
  switch (fact.kind) {
    case "run_committed":
    case "run_aborted":
      return after.load("runs", fact.runId).rootRunId;
    case "run_started":
      return beginsAfresh(after, fact) ? fact.rootRunId : null;
    default:
      return null;
  }
}

/**
 * The same script with the same answers fails as it did: whoever lets it try again wants others. A
 * mended script is a new one, and what it did right is not paid for twice.
 */
function beginsAfresh(
  after: View,
  { retryOf, scriptHash }: { readonly retryOf: string | null; readonly scriptHash: string | null },
): boolean {
  if (retryOf === null) return false;
  const ended = after.load("runs", retryOf);
  return ended.status === "failed:logic" && ended.scriptHash === scriptHash;
}
