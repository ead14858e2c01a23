import type { Store, Wedge } from "@holdfast/core";
import { listWedges } from "../queries/list-wedges.ts";
import type { Problem } from "./verify-report.ts";

/** Of the wedges, those that no rule could ever have left behind. */
const broken: ReadonlySet<Wedge["kind"]> = new Set([
  "orphan_reservation",
  "orphan_mutation",
  "second_open_run",
]);

/**
 * The invariants that can be looked at without folding the journal: that what is held belongs to
 * the open run, that what is not settled has one, that one run is open. Takes as long as there is
 * work to do, whatever was done before.
 */
export async function brokenByIndex(store: Store, workflow: string): Promise<readonly Problem[]> {
  const { head } = await store.load(workflow, []);
  const wedges = await listWedges(store, workflow, head.at);
  return wedges
    .filter(({ kind }) => broken.has(kind))
    .map(({ id, note }) => {
      return { code: "INVARIANT_BROKEN", workflow, position: head.seq, note: `${id}: ${note}` };
    });
}
