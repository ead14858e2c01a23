import {
  asideShapes,
  type ChainPoint,
  genesisHash,
  hashText,
  isKnownFact,
  type OpenedRecord,
  openRecord,
} from "@holdfast/core";
import type {
  ExportEntry,
  RecordEntry,
  RowEntry,
  StoreEntry,
  WorkflowEntry,
} from "./export-entry.ts";

/** Says what is wrong, in words; whoever reads or writes says where. */
export class ExportFault extends Error {
  override readonly name = "ExportFault";
}

type Opened = Extract<OpenedRecord, { readonly ok: true }>;

/** Of a record also what it says. */
export type CheckedEntry =
  | Exclude<ExportEntry, RecordEntry>
  | (RecordEntry & { readonly opened: Opened });

/**
 * Whether entries are those of a whole store, in their order: every workflow's chain from its first
 * record to its head, every payload what its hash says. The same is asked of what is written and of
 * what is read, so that a file which cannot be imported is never finished.
 */
export class ExportCheck {
  recordCount = 0;
  readonly #workflows = new Set<string>();
  #store: StoreEntry | null = null;
  #workflow: WorkflowEntry | null = null;
  #chain: ChainPoint & { readonly at: number } = { seq: 0, hash: genesisHash, at: 0 };
  #isStores = false;

  get workflowCount(): number {
    return this.#workflows.size;
  }

  get store(): StoreEntry {
    if (this.#store === null) throw new ExportFault("it says of no store");
    return this.#store;
  }

  /** The end is the reader's: it alone knows the bytes. */
  take(given: unknown): CheckedEntry {
    if (typeof given !== "object" || given === null) throw new ExportFault("an entry is none");
    const entry = given as ExportEntry;
    if (this.#store === null && entry.kind !== "store") throw new ExportFault("no store is named");
    switch (entry.kind) {
      case "store":
        return this.#takeStore(entry);
      case "workflow":
        return this.#takeWorkflow(entry);
      case "row":
        return this.#takeRow(entry);
      case "record":
        return this.#takeRecord(entry);
      case "end":
        this.#leaveWorkflow();
        return entry;
      default:
        throw new ExportFault("an entry is of a kind that is not known");
    }
  }

  #takeStore(entry: StoreEntry): StoreEntry {
    if (this.#store !== null) throw new ExportFault("it says of two stores");
    this.#store = entry;
    return entry;
  }

  #takeWorkflow(entry: WorkflowEntry): WorkflowEntry {
    this.#leaveWorkflow();
    const { workflow } = entry;
    if (this.#isStores) throw new ExportFault(`${workflow} comes too late`);
    if (this.#workflows.has(workflow)) throw new ExportFault(`${workflow} is in it twice`);
    this.#workflows.add(workflow);
    this.#workflow = entry;
    this.#chain = { seq: 0, hash: genesisHash, at: 0 };
    return entry;
  }

  #leaveWorkflow(): void {
    if (this.#workflow === null) return;
    const { workflow, head } = this.#workflow;
    this.#workflow = null;
    const { seq, hash, at } = this.#chain;
    if (seq === head.seq && hash === head.hash && at === head.at) return;
    throw new ExportFault(`the journal of ${workflow} ends at ${seq}, its head is ${head.seq}`);
  }

  #takeRow(entry: RowEntry): RowEntry {
    const { table, workflow, row } = entry;
    const shape = Object.hasOwn(asideShapes, table) ? asideShapes[table] : null;
    if (shape === null) throw new ExportFault(`there is no table ${String(table)}`);
    if (shape.of === "store") {
      this.#leaveWorkflow();
      this.#isStores = true;
    }
    const isOther = workflow !== (this.#workflow?.workflow ?? null);
    if (isOther || (workflow === null) !== (shape.of === "store")) {
      throw new ExportFault(`a row of ${table} is of another workflow`);
    }
    const names = Object.keys(row).sort().join();
    if (names !== [...shape.columns].sort().join()) {
      throw new ExportFault(`a row of ${table} has other columns: ${names}`);
    }
    if (table === "blobs") checkBlob(row);
    return entry;
  }

  #takeRecord(entry: RecordEntry): CheckedEntry {
    if (this.#workflow === null) throw new ExportFault("a record is of no workflow");
    const { workflow } = this.#workflow;
    const opened = openRecord(workflow, this.#chain, entry);
    if (!opened.ok) throw new ExportFault(`record ${entry.seq} of ${workflow}: ${opened.note}`);
    const { kind } = opened.record.fact;
    if (!isKnownFact(kind)) throw new ExportFault(`${workflow} has facts of a newer Holdfast`);
    this.#chain = { seq: entry.seq, hash: entry.hash, at: opened.record.at };
    this.recordCount += 1;
    return { ...entry, opened };
  }
}

/** A part of a snapshot has more in its name than the hash. */
function checkBlob({ hash, bytes }: RowEntry["row"]): void {
  const isWhole = bytes instanceof Uint8Array && String(hash).endsWith(hashText(bytes));
  if (!isWhole) throw new ExportFault(`payload ${String(hash)} is not what its hash says`);
}
