import {
  type Instant,
  isSettled,
  type ListedTable,
  type ListName,
  type ListPlace,
  ledgerStates,
  type Policy,
  placeAt,
  policyDefaults,
  type Rows,
  type Store,
  View,
  type Wedge,
  type WorkflowSummary,
  wedgesOfDelay,
  wedgesOfEvent,
  wedgesOfMutation,
  wedgesOfRuns,
} from "@holdfast/core";
import { seqOfId } from "./fact-list.ts";
import { findSummary } from "./find-summary.ts";

/** So many are reported at once; where there are more, the first show what is wrong. */
const wedgesMax = 100;
const rowsPerRead = 500;

/**
 * What no rule explains in one workflow. Goes through what is not settled, by index, so that it
 * takes no longer for all that was ever done. The rows are of a later moment than the view: what
 * looks wrong is looked at again. `rowsMax` bounds the newest of each topic and state that are
 * looked at.
 */
export async function listWedges(
  store: Store,
  workflow: string,
  now: Instant,
  policy: Policy = policyDefaults,
  rowsMax = Number.POSITIVE_INFINITY,
): Promise<readonly Wedge[]> {
  const looking = { store, workflow, now, policy, rowsMax };
  const first = await findOnce(looking);
  if (first.length === 0) return [];
  const again = await findOnce(looking);
  const known = new Set(first.map(nameOf));
  return again.filter((wedge) => known.has(nameOf(wedge)));
}

function nameOf({ kind, id }: Wedge): string {
  return `${kind} ${id}`;
}

type Looking = {
  readonly store: Store;
  readonly workflow: string;
  readonly now: Instant;
  readonly policy: Policy;
  readonly rowsMax: number;
};

async function findOnce(looking: Looking): Promise<Wedge[]> {
  const { store, workflow, now, policy } = looking;
  const needs = [{ kind: "base" }, { kind: "oldest_pending" }] as const;
  const view = View.fromLoaded(await store.load(workflow, needs), policy);
  if (!view.find("workflows")) return [];
  const wedges = [...wedgesOfRuns(view, now), ...(await delays(store, workflow, now, policy))];
  for (const { name } of view.rows("topics")) {
    const events = rowsOf(looking, { list: "unsettledEvents", of: name });
    for await (const event of events) {
      if (wedges.length >= wedgesMax) return wedges;
      wedges.push(...wedgesOfEvent(view, event));
    }
  }
  for (const state of ledgerStates.filter((each) => !isSettled(each))) {
    for await (const row of rowsOf(looking, { list: "openMutations", of: state })) {
      if (wedges.length >= wedgesMax) return wedges;
      wedges.push(...wedgesOfMutation(view, row));
    }
  }
  return wedges;
}

type Unsettled = Extract<ListName, "unsettledEvents" | "openMutations">;

async function* rowsOf<L extends Unsettled>(
  { store, workflow, rowsMax }: Looking,
  { list, of }: { readonly list: L; readonly of: string },
): AsyncGenerator<Rows[ListedTable<L>]> {
  let after: ListPlace | null = null;
  for (let read = 0; read < rowsMax; read += rowsPerRead) {
    const query = { workflow, list, of: [of], after, downTo: null, limit: rowsPerRead };
    const rows: readonly Rows[ListedTable<L>][] = await store.listRows<L>(query);
    yield* rows;
    const last = rows.at(-1);
    if (!last || rows.length < rowsPerRead) return;
    after = placeAt(list, "position" in last ? last.position : seqOfId(last.mutationId));
  }
}

async function delays(store: Store, workflow: string, now: Instant, policy: Policy) {
  const summary: WorkflowSummary | null = await findSummary(store, workflow);
  return summary ? wedgesOfDelay(summary, now, policy) : [];
}
