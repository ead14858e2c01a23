import { HostError, type Seq, type Store } from "@holdfast/core";
import { checkBlobs } from "./check-blobs.ts";
import { checkControl } from "./check-control.ts";
import { compareTables } from "./compare-tables.ts";
import { JournalFold } from "./fold-journal.ts";
import { brokenInvariants } from "./invariants.ts";
import type { VerifyReport } from "./verify-report.ts";

type Options = { readonly full: boolean };

/** Throws STORE_CHANGED when somebody went on with the workflow meanwhile. */
export async function verifyWorkflow(
  store: Store,
  workflow: string,
  { full }: Options,
): Promise<VerifyReport> {
  const { head } = await store.load(workflow, []);
  const folded = await new JournalFold(store, workflow).run(
    full ? 0 : await checkpointOf(store, workflow),
    head,
  );
  const { from, recordCount, problem, view } = folded;
  const found = { workflow, head: head.seq, from, recordCount };
  if (problem) {
    await refuseIfMoved(store, workflow, head.seq);
    return { ...found, rowCount: 0, problems: [problem] };
  }
  const { rowCount, problems } = await compareTables(store, workflow, folded);
  const blobs = full ? await checkBlobs(store, folded) : [];
  // Rows that differ would make everything that is read from them differ too.
  const control = problems.length === 0 ? await checkControl(store, view) : [];
  const all = [...problems, ...control, ...brokenInvariants(view), ...blobs];
  await refuseIfMoved(store, workflow, head.seq);
  return { ...found, rowCount, problems: all.sort((a, b) => a.position - b.position) };
}

async function checkpointOf(store: Store, workflow: string): Promise<Seq> {
  const { rows } = await store.load(workflow, [{ kind: "row", table: "workflows", key: [] }]);
  const first = rows[0];
  return first?.table === "workflows" ? first.row.checkpointSeq : 0;
}

/** A moving journal would show differences that are none. */
async function refuseIfMoved(store: Store, workflow: string, head: Seq): Promise<void> {
  const now = await store.load(workflow, []);
  if (now.head.seq === head) return;
  throw new HostError("STORE_CHANGED", {
    what: `${workflow} was changed while it was being verified.`,
    remedy: "Verify again when no host is running.",
    retry: "safe",
  });
}
