import {
  type Instant,
  type Policy,
  policyDefaults,
  type Store,
  View,
  type Wedge,
  type WorkflowSummary,
  wedgesOfDelay,
  wedgesOfEvent,
  wedgesOfMutation,
  wedgesOfRuns,
} from "@holdfast/core";
import { findSummary } from "./find-summary.ts";

/** So many are reported at once; where there are more, the first show what is wrong. */
const wedgesMax = 100;

/**
 * What no rule explains in one workflow. Goes through its events and mutations once, holding none
 * of them. The rows are of a later moment than the view, so what looks wrong is looked at again.
 */
export async function listWedges(
  store: Store,
  workflow: string,
  now: Instant,
  policy: Policy = policyDefaults,
): Promise<readonly Wedge[]> {
  const first = await findOnce(store, workflow, now, policy);
  if (first.length === 0) return [];
  const again = await findOnce(store, workflow, now, policy);
  const known = new Set(first.map(nameOf));
  return again.filter((wedge) => known.has(nameOf(wedge)));
}

function nameOf({ kind, id }: Wedge): string {
  return `${kind} ${id}`;
}

async function findOnce(
  store: Store,
  workflow: string,
  now: Instant,
  policy: Policy,
): Promise<Wedge[]> {
  const needs = [{ kind: "base" }, { kind: "oldest_pending" }] as const;
  const view = View.fromLoaded(await store.load(workflow, needs), policy);
  if (!view.find("workflows")) return [];
  const wedges = [...wedgesOfRuns(view, now), ...(await delays(store, workflow, now, policy))];
  for await (const event of store.scan(workflow, "events")) {
    if (wedges.length >= wedgesMax) break;
    wedges.push(...wedgesOfEvent(view, event));
  }
  for await (const mutation of store.scan(workflow, "mutations")) {
    if (wedges.length >= wedgesMax) break;
    wedges.push(...wedgesOfMutation(view, mutation));
  }
  return wedges;
}

async function delays(store: Store, workflow: string, now: Instant, policy: Policy) {
  const summary: WorkflowSummary | null = await findSummary(store, workflow);
  return summary ? wedgesOfDelay(summary, now, policy) : [];
}
