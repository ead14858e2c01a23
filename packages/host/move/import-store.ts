import {
  type ArrivingStore,
  type AsideRow,
  type AsideTable,
  type Change,
  HostError,
  type Instant,
  project,
} from "@holdfast/core";
import { verifyWorkflow } from "../verify/verify-workflow.ts";
import type { CheckedEntry } from "./export-check.ts";
import type { RowEntry, WorkflowEntry } from "./export-entry.ts";
import { everyWorkflow } from "./export-store.ts";
import { checkExport, readExport, unreadable } from "./read-export.ts";

/** What is written at once: bounds memory, and how long a transaction takes. */
const writtenCountMax = 200;
const writtenBytesMax = 4_194_304;

export type Imported = {
  readonly storeIncarnation: string;
  readonly restoredFrom: string;
  readonly hash: string;
  readonly workflowCount: number;
  readonly recordCount: number;
};

type ImportOptions = {
  readonly path: string;
  readonly by: string;
  readonly at: Instant;
  /** Called when the file was read once, and is whole. */
  readonly open: () => Promise<ArrivingStore>;
};

/**
 * The whole file is looked at before anything is written, and again while it is. Tables are what
 * the journal's facts project, written through the store's own commit and its constraints, and
 * compared with the fold at the end. Until then nobody else may open the store.
 */
export async function importStore({ path, by, at, open }: ImportOptions): Promise<Imported> {
  const whole = checkExport(path);
  const target = await open();
  try {
    const { storeIncarnation: from, exportedBy, exportedAt, withState } = whole.check.store;
    const hash = await writeEntries(target, path);
    if (hash !== whole.hash) throw unreadable(path, "it was changed while it was read");
    const { workflowCount, recordCount } = whole.check;
    await refuseDifference(target, workflowCount);
    const exported = { from, hash, exportedBy, exportedAt, withState };
    await target.finish({ ...exported, importedBy: by, importedAt: at });
    const { storeIncarnation } = target.store;
    return { storeIncarnation, restoredFrom: from, hash, workflowCount, recordCount };
  } finally {
    await target.close();
  }
}

async function writeEntries(target: ArrivingStore, path: string): Promise<string> {
  const writer = new EntryWriter(target);
  const entries = readExport(path);
  for (;;) {
    const next = entries.next();
    if (next.done !== true) await writer.write(next.value);
    if (next.done !== true) continue;
    await writer.flush();
    return next.value.hash;
  }
}

type CheckedRecord = Extract<CheckedEntry, { readonly kind: "record" }>;

/** Keeps what can be written together until something else comes. */
class EntryWriter {
  readonly #target: ArrivingStore;
  #workflow: WorkflowEntry | null = null;
  #rows: { readonly table: AsideTable; readonly workflow: string | null } | null = null;
  #waitingRows: AsideRow[] = [];
  #records: CheckedRecord[] = [];
  #bytes = 0;

  constructor(target: ArrivingStore) {
    this.#target = target;
  }

  async write(entry: CheckedEntry): Promise<void> {
    if (entry.kind === "row") return this.#addRow(entry);
    if (entry.kind === "record") return this.#addRecord(entry);
    await this.flush();
    if (entry.kind !== "workflow") return;
    this.#workflow = entry;
    await this.#target.createWorkflow(entry);
  }

  async flush(): Promise<void> {
    await this.#flushRows();
    await this.#flushRecords();
  }

  async #addRow({ table, workflow, row }: RowEntry): Promise<void> {
    const isOther = this.#rows?.table !== table || this.#rows.workflow !== workflow;
    if (isOther || this.#isFull(this.#waitingRows)) await this.flush();
    this.#rows = { table, workflow };
    this.#waitingRows.push(row);
    for (const value of Object.values(row)) {
      if (typeof value === "string" || value instanceof Uint8Array) this.#bytes += value.length;
    }
  }

  async #addRecord(entry: CheckedRecord): Promise<void> {
    await this.#flushRows();
    if (this.#isFull(this.#records)) await this.#flushRecords();
    this.#records.push(entry);
    this.#bytes += entry.bytes.length;
  }

  #isFull(waiting: readonly unknown[]): boolean {
    return waiting.length >= writtenCountMax || this.#bytes >= writtenBytesMax;
  }

  async #flushRows(): Promise<void> {
    const rows = this.#waitingRows;
    if (this.#rows === null || rows.length === 0) return;
    await this.#target.persistAside(this.#rows.table, this.#rows.workflow, rows);
    this.#waitingRows = [];
    this.#bytes = 0;
  }

  async #flushRecords(): Promise<void> {
    const records = this.#records;
    const [first] = records;
    if (this.#workflow === null || first === undefined) return;
    const change = changeOf(this.#workflow, first.seq - 1, records);
    const [answer] = await this.#target.store.commit([change]);
    if (answer?.kind !== "committed") throw notWritten(change, JSON.stringify(answer));
    this.#records = [];
    this.#bytes = 0;
  }
}

function changeOf(
  { workflow, epoch, dueAt }: WorkflowEntry,
  expectedHead: number,
  entries: readonly CheckedRecord[],
): Change {
  return {
    workflow,
    epoch,
    expectedHead,
    records: entries.map(({ seq, hash, bytes, opened }) => {
      return { seq, hash, bytes, at: opened.record.at, version: opened.version };
    }),
    rows: entries.flatMap(({ opened }) => project(opened.record)),
    blobs: [],
    dueAt,
    settledBelow: [],
    trace: null,
    budgets: [],
    forgetTracesThrough: null,
  };
}

function notWritten({ workflow, expectedHead }: Change, answer: string): HostError {
  return new HostError("CHANGE_REFUSED", {
    what: `After record ${expectedHead} of ${workflow} the store answered ${answer}.`,
    remedy: "The import is not finished, and the store it went into is not used. Report it.",
    retry: "unsafe",
    details: { workflow },
  });
}

/** Before the store counts as one: what differs here would never be looked at again. */
async function refuseDifference({ store }: ArrivingStore, workflowCount: number): Promise<void> {
  let count = 0;
  for await (const { workflow } of everyWorkflow(store)) {
    count += 1;
    const { problems } = await verifyWorkflow(store, workflow, { full: true });
    const [first] = problems;
    if (first === undefined) continue;
    throw new HostError(first.code, {
      what: `${workflow}, record ${first.position}: ${first.note}.`,
      remedy: "The import is not finished, and the store it went into is not used. Report it.",
      retry: "unsafe",
      details: { workflow, position: first.position },
    });
  }
  if (count === workflowCount) return;
  throw new HostError("STORE_CHANGED", {
    what: `${count} workflows are in the store, and ${workflowCount} were imported.`,
    remedy: "Somebody else writes to it. Take the store away, and import into another.",
    retry: "unsafe",
  });
}
