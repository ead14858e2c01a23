import {
  type AsideRow,
  type AsideTable,
  asideShapes,
  asideTables,
  type DepartingStore,
  HostError,
  type Instant,
  type Store,
  type WorkflowSummary,
} from "@holdfast/core";
import { verifyWorkflow } from "../verify/verify-workflow.ts";
import { ExportCheck, ExportFault } from "./export-check.ts";
import type { ExportEntry } from "./export-entry.ts";
import { ExportFile } from "./export-file.ts";

const workflowsPerRead = 100;
const recordsPerRead = 200;
const rowsPerRead = 100;
/** Few, because each may be large. */
const payloadsPerRead = 4;

export type Exported = {
  readonly file: string;
  readonly hash: string;
  readonly storeIncarnation: string;
  readonly workflowCount: number;
  readonly recordCount: number;
};

type ExportOptions = {
  readonly path: string;
  readonly by: string;
  readonly at: Instant;
};

/**
 * Writes the whole store into a file and ends it. The order is what keeps two stores from going on
 * as one: the file is whole and on the disk, then the store says that it was exported, then the
 * file gets its name. A death before the second leaves the store as it was, one after it a store
 * that does not start.
 */
export async function exportStore(
  source: DepartingStore,
  { path, by, at }: ExportOptions,
): Promise<Exported> {
  const { storeIncarnation } = source.store;
  const file = inWords(() => new ExportFile(path));
  const check = new ExportCheck();
  let hash: string;
  try {
    await refuseDamage(source.store);
    const heading = { kind: "store", storeIncarnation, exportedBy: by, exportedAt: at } as const;
    const write = (entry: ExportEntry) => {
      check.take(entry);
      file.write(entry);
    };
    write({ ...heading, withState: true });
    await writeAll(source, write);
    check.take({ kind: "end" });
    hash = file.end().hash;
  } catch (error) {
    file.discard();
    throw explain(error);
  }
  await source.markExported({ at, by, file: file.path });
  file.publish();
  const { workflowCount, recordCount } = check;
  return { file: file.path, hash, storeIncarnation, workflowCount, recordCount };
}

type Write = (entry: ExportEntry) => void;

async function writeAll(source: DepartingStore, write: Write): Promise<void> {
  for await (const summary of everyWorkflow(source.store)) {
    const { workflow, head, epoch, dueAt, inboxTail } = summary;
    write({ kind: "workflow", workflow, head, epoch, dueAt, inboxTail });
    for (const table of asideTables) {
      if (asideShapes[table].of === "workflow") await writeRows(source, table, workflow, write);
    }
    await writeJournal(source.store, workflow, write);
  }
  for (const table of asideTables) {
    if (asideShapes[table].of === "store") await writeRows(source, table, null, write);
  }
}

async function writeRows(
  source: DepartingStore,
  table: AsideTable,
  workflow: string | null,
  write: Write,
): Promise<void> {
  const limit = table === "blobs" ? payloadsPerRead : rowsPerRead;
  let after: AsideRow | null = null;
  do {
    const page = { table, workflow, after, limit };
    const rows: readonly AsideRow[] = await source.readAside(page);
    for (const row of rows) write({ kind: "row", table, workflow, row });
    after = rows.at(-1) ?? null;
  } while (after !== null);
}

async function writeJournal(store: Store, workflow: string, write: Write): Promise<void> {
  let after = 0;
  for (;;) {
    const entries = await store.readJournal(workflow, after, recordsPerRead);
    for (const { seq, hash, bytes } of entries) write({ kind: "record", seq, hash, bytes });
    const last = entries.at(-1);
    if (last === undefined) return;
    after = last.seq;
  }
}

export async function* everyWorkflow(store: Store): AsyncIterable<WorkflowSummary> {
  let after: string | null = null;
  for (;;) {
    const page: readonly WorkflowSummary[] = await store.listWorkflows(after, workflowsPerRead);
    yield* page;
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.workflow;
  }
}

/** Tables are made anew of the journal: damage in them would be mended without a word. */
async function refuseDamage(store: Store): Promise<void> {
  for await (const { workflow } of everyWorkflow(store)) {
    const { problems } = await verifyWorkflow(store, workflow, { full: true });
    const [first] = problems;
    if (first === undefined) continue;
    throw damaged(`${workflow} is not as recorded: ${first.code} at record ${first.position}`);
  }
}

function inWords<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw explain(error);
  }
}

/** What the disk says of the file; what the store says is in words already. */
function explain(error: unknown): unknown {
  if (error instanceof ExportFault) return damaged(error.message);
  if (!(error instanceof Error) || !("syscall" in error)) return error;
  return new HostError("EXPORT_REFUSED", {
    what: `The file cannot be written (${error.message}).`,
    remedy: "Name another folder, or make room there. Nothing was exported.",
    retry: "safe",
    cause: error,
  });
}

function damaged(why: string): HostError {
  return new HostError("EXPORT_REFUSED", {
    what: `${why}.`,
    remedy: "Run `holdfast verify --full` and follow what it says. Nothing was exported.",
    retry: "safe",
  });
}
