import type { Store, WorkflowSummary } from "@holdfast/core";
import { brokenByIndex } from "./broken-by-index.ts";
import { verifyAtRest } from "./verify-at-rest.ts";
import type { VerifyReport } from "./verify-report.ts";
import { verifyWorkflow } from "./verify-workflow.ts";

export type VerifyOptions = {
  /** From the first record and with every payload, instead of from the last checkpoint. */
  readonly full: boolean;
  readonly onProgress?: (report: VerifyReport) => void;
  /**
   * Given where other hosts may be at work: told of workflows that never stood still and were not
   * judged. Absent = one that moves is STORE_CHANGED.
   */
  readonly onMoving?: (workflow: string) => void;
  /**
   * Bounds a quick look: of workflows with more records since their last checkpoint only the
   * invariants are looked at that an index shows, and they are told of.
   */
  readonly recordsMax?: number;
  readonly onLong?: (workflow: string, records: number) => void;
};

const workflowsPerRead = 100;

/** Folds the journal of every workflow and compares it with every row of every table. */
export async function verify(store: Store, options: VerifyOptions): Promise<VerifyReport[]> {
  const reports: VerifyReport[] = options.full ? await verifyStructure(store) : [];
  let after: string | null = null;
  for (;;) {
    const page: readonly WorkflowSummary[] = await store.listWorkflows(after, workflowsPerRead);
    for (const { workflow, head } of page) {
      const isLong = await isTooLong(store, { workflow, head: head.seq }, options);
      const report = isLong
        ? await lookOnly(store, { workflow, head: head.seq })
        : await verifyOne(store, workflow, options);
      if (report === null) continue;
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

async function isTooLong(
  store: Store,
  { workflow, head }: { readonly workflow: string; readonly head: number },
  { recordsMax = Number.POSITIVE_INFINITY, onLong }: VerifyOptions,
): Promise<boolean> {
  if (head <= recordsMax) return false;
  const { rows } = await store.load(workflow, [{ kind: "row", table: "workflows", key: [] }]);
  const found = rows.find((each) => each.table === "workflows");
  const records = head - (found?.table === "workflows" ? found.row.checkpointSeq : 0);
  if (records <= recordsMax) return false;
  onLong?.(workflow, records);
  return true;
}

async function lookOnly(
  store: Store,
  { workflow, head }: { readonly workflow: string; readonly head: number },
): Promise<VerifyReport> {
  const problems = await brokenByIndex(store, workflow);
  return { workflow, head, from: head + 1, recordCount: 0, rowCount: 0, problems };
}

async function verifyOne(
  store: Store,
  workflow: string,
  { full, onMoving }: VerifyOptions,
): Promise<VerifyReport | null> {
  if (onMoving === undefined) return verifyWorkflow(store, workflow, { full });
  const report = await verifyAtRest(store, workflow, { full });
  if (report === null) onMoving(workflow);
  return report;
}
