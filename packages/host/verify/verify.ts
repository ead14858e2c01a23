import { HostError, type Seq, type Store, type WorkflowSummary } from "@holdfast/core";
import { checkBlobs } from "./check-blobs.ts";
import { checkControl } from "./check-control.ts";
import { compareTables } from "./compare-tables.ts";
import { JournalFold } from "./fold-journal.ts";
import { brokenInvariants } from "./invariants.ts";
import type { VerifyReport } from "./verify-report.ts";

export type VerifyOptions = {
  /** From the first record and with every payload, instead of from the last checkpoint. */
  readonly full: boolean;
  readonly onProgress?: (report: VerifyReport) => void;
};

const workflowsPerRead = 100;

/** Folds the journal of every workflow and compares it with every row of every table. */
export async function verify(store: Store, options: VerifyOptions): Promise<VerifyReport[]> {
  const reports: VerifyReport[] = options.full ? await verifyStructure(store) : [];
  let after: string | null = null;
  for (;;) {
    const page: readonly WorkflowSummary[] = await store.listWorkflows(after, workflowsPerRead);
    for (const { workflow } of page) {
      const report = await verifyWorkflow(store, workflow, options);
      reports.push(report);
      options.onProgress?.(report);
    }
    const last = page.at(-1);
    if (!last || page.length < workflowsPerRead) return reports;
    after = last.workflow;
  }
}

/** An index that lies hides rows that are right: nothing below would see it. */
async function verifyStructure(store: Store): Promise<VerifyReport[]> {
  const workflow = "(the database)";
  const damages = await store.findDamage();
  const problems = damages.map(
    (note) => ({ code: "STORE_CORRUPT", workflow, position: 0, note }) as const,
  );
  if (problems.length === 0) return [];
  return [{ workflow, head: 0, from: 1, recordCount: 0, rowCount: 0, problems }];
}

export async function verifyWorkflow(
  store: Store,
  workflow: string,
  { full }: VerifyOptions,
): Promise<VerifyReport> {
  const { head } = await store.load(workflow, []);
  const folded = await new JournalFold(store, workflow).run(
    full ? 0 : await checkpointOf(store, workflow),
    head,
  );
  const { from, recordCount, problem, view } = folded;
  const found = { workflow, head: head.seq, from, recordCount };
  if (problem) return { ...found, rowCount: 0, problems: [problem] };
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
