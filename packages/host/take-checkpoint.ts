import {
  type Blob,
  checkpointTable,
  HostError,
  type Instant,
  type Rows,
  type Store,
  type TableCheckpoint,
  type TableName,
  tableNames,
} from "@holdfast/core";
import { verifyWorkflow } from "./verify/verify-workflow.ts";
import type { Executed, WorkflowOwner } from "./workflow-owner.ts";

/**
 * Records the state of every table, so that later verifications can start here. It verifies
 * first, from the first record: a checkpoint of damaged tables would hide the damage from every
 * later look. Parts of older checkpoints may be missing; a new one makes up for them.
 */
export async function takeCheckpoint(
  store: Store,
  owner: WorkflowOwner,
  now: Instant,
): Promise<Executed> {
  // Before the tables are read: what somebody changes while they are is then a conflict.
  await owner.loadView();
  await refuseDamaged(store, owner.workflow);
  const tables: TableCheckpoint[] = [];
  const chunks: Blob[] = [];
  for (const table of tableNames) {
    const { checkpoint, blobs } = checkpointTable(
      table,
      await rowsOf(store, owner.workflow, table),
    );
    tables.push(checkpoint);
    chunks.push(...blobs);
  }
  return owner.execute([{ kind: "take_checkpoint", tables, chunks }], now);
}

async function rowsOf<T extends TableName>(
  store: Store,
  workflow: string,
  table: T,
): Promise<Rows[T][]> {
  const rows: Rows[T][] = [];
  for await (const row of store.scan(workflow, table)) rows.push(row);
  return rows;
}

async function refuseDamaged(store: Store, workflow: string): Promise<void> {
  const { problems } = await verifyWorkflow(store, workflow, { full: true });
  const first = problems.find((problem) => !problem.ofCheckpoint);
  if (!first) return;
  throw new HostError(first.code, {
    what: `No checkpoint of ${workflow} was taken: at record ${first.position}, ${first.note}.`,
    remedy: "Run `holdfast verify --full` and follow the page of this code.",
    retry: "safe",
    details: { workflow, position: first.position },
  });
}
