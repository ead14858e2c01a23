import {
  apply,
  type ChainPoint,
  type CheckpointTaken,
  checkpointTable,
  genesisHash,
  type Hash,
  InvariantError,
  isKnownFact,
  type JournalEntry,
  type JournalRecord,
  keyOf,
  keyText,
  openChunk,
  openRecord,
  previousHash,
  project,
  type Rows,
  type Seq,
  type Store,
  type TableName,
  type TableRow,
  tables,
  View,
} from "@holdfast/core";
import { readBlob } from "./check-blobs.ts";
import type { Problem } from "./verify-report.ts";

const recordsPerRead = 1_000;

export type Folded = {
  readonly view: View;
  readonly from: Seq;
  readonly recordCount: number;
  /** Last record that touched a row, by table and key. */
  readonly touched: ReadonlyMap<string, Seq>;
  /** Blobs that checkpoints on the way name, with the checkpoint's place. */
  readonly chunks: ReadonlyMap<Hash, Seq>;
  readonly problem: Problem | null;
};

export function rowName(table: TableName, key: string): string {
  return `${table} ${key}`;
}

/**
 * Folds the journal from its start, or from the checkpoint at `from`, checking every link of the
 * chain. It stops at the first record that is not what was written.
 */
export class JournalFold {
  private readonly store: Store;
  private readonly workflow: string;
  private readonly touched = new Map<string, Seq>();
  private readonly chunks = new Map<Hash, Seq>();
  private view: View;
  private chain: ChainPoint = { seq: 0, hash: genesisHash };
  private problem: Problem | null = null;
  private recordCount = 0;

  constructor(store: Store, workflow: string) {
    this.store = store;
    this.workflow = workflow;
    this.view = View.empty(workflow);
  }

  async run(checkpoint: Seq, head: ChainPoint): Promise<Folded> {
    if (checkpoint > 0) await this.startAt(checkpoint);
    const from = this.chain.seq + 1;
    while (!this.problem && this.chain.seq < head.seq) await this.foldBatch(head.seq);
    if (!this.problem) await this.checkEnd(head);
    const { view, recordCount, touched, chunks, problem } = this;
    return { view, from, recordCount, touched, chunks, problem };
  }

  /** The workflow's head and the journal's end are the same record, and nothing comes after. */
  private async checkEnd(head: ChainPoint): Promise<void> {
    if (this.chain.hash !== head.hash) {
      this.fail("JOURNAL_CORRUPT", head.seq, "the workflow's head names another hash");
    }
    const [beyond] = await this.store.readJournal(this.workflow, head.seq, 1);
    if (!beyond) return;
    this.fail("JOURNAL_CORRUPT", beyond.seq, `the record lies beyond the head at ${head.seq}`);
  }

  private async foldBatch(head: Seq): Promise<void> {
    const limit = Math.min(recordsPerRead, head - this.chain.seq);
    const entries = await this.store.readJournal(this.workflow, this.chain.seq, limit);
    if (entries.length === 0) {
      const missing = `the workflow's head is ${head}, the journal ends at ${this.chain.seq}`;
      this.fail("JOURNAL_TRUNCATED", this.chain.seq + 1, missing);
    }
    for (const entry of entries) {
      if (this.problem) return;
      this.foldEntry(entry);
    }
  }

  private foldEntry(entry: JournalEntry): void {
    const gap = entry.seq !== this.chain.seq + 1;
    if (gap) return this.fail("JOURNAL_TRUNCATED", this.chain.seq + 1, "the record is missing");
    const opened = openRecord(this.workflow, this.chain, entry);
    if (!opened.ok) {
      const code = opened.problem === "version" ? "FACT_VERSION_UNKNOWN" : "JOURNAL_CORRUPT";
      return this.fail(code, entry.seq, opened.note);
    }
    const { record } = opened;
    if (!isKnownFact(record.fact.kind)) {
      return this.fail("FACT_VERSION_UNKNOWN", entry.seq, `unknown fact ${record.fact.kind}`);
    }
    this.applyRecord(record);
    this.chain = { seq: entry.seq, hash: entry.hash };
  }

  private applyRecord(record: JournalRecord): void {
    if (record.fact.kind === "checkpoint_taken") this.compareCheckpoint(record.seq, record.fact);
    try {
      apply(this.view, record);
    } catch (error) {
      if (!(error instanceof InvariantError)) throw error;
      return this.fail("JOURNAL_CORRUPT", record.seq, `no decision makes this: ${error.message}`);
    }
    this.recordCount += 1;
    for (const change of project(record)) {
      if (change.op === "reopen_topic") this.touchTopic(change.topic, record.seq);
      else if (change.op === "insert") {
        this.touched.set(rowName(change.table, keyOf(change.table, change.row)), record.seq);
      } else if (change.op !== "clear_kv") {
        this.touched.set(rowName(change.table, keyText(change.key)), record.seq);
      }
    }
  }

  private touchTopic(topic: string, seq: Seq): void {
    for (const row of this.view.rows("events")) {
      if (row.topic === topic && row.revision === seq) {
        this.touched.set(rowName("events", keyOf("events", row)), seq);
      }
    }
  }

  /** What was folded so far must be what the checkpoint says it was. */
  private compareCheckpoint(seq: Seq, fact: CheckpointTaken): void {
    for (const { chunks } of fact.tables) {
      for (const hash of chunks) this.chunks.set(hash, seq);
    }
    for (const expected of fact.tables) {
      if (!Object.hasOwn(tables, expected.table)) continue;
      const { checkpoint } = checkpointTable(expected.table, this.view.rows(expected.table));
      if (checkpoint.hash === expected.hash) continue;
      this.fail("JOURNAL_CORRUPT", seq, `the checkpoint's ${expected.table} differs from the fold`);
    }
  }

  private async startAt(seq: Seq): Promise<void> {
    const [entry] = await this.store.readJournal(this.workflow, seq - 1, 1);
    if (entry?.seq !== seq) return this.fail("JOURNAL_TRUNCATED", seq, "the checkpoint is missing");
    let opened: ReturnType<typeof openRecord>;
    try {
      const hash = previousHash(entry.bytes) ?? genesisHash;
      opened = openRecord(this.workflow, { seq: seq - 1, hash }, entry);
    } catch (error) {
      return this.fail("JOURNAL_CORRUPT", seq, String(error));
    }
    if (!opened.ok || opened.record.fact.kind !== "checkpoint_taken") {
      const note = opened.ok ? "the record is no checkpoint" : opened.note;
      return this.fail("JOURNAL_CORRUPT", seq, note);
    }
    const rows = await this.loadCheckpoint(seq, opened.record.fact);
    if (this.problem) return;
    const before = { seq: seq - 1, hash: genesisHash, at: opened.record.at };
    this.view = View.restored(this.workflow, before, rows);
    apply(this.view, opened.record);
    this.chain = { seq, hash: entry.hash };
  }

  private async loadCheckpoint(seq: Seq, fact: CheckpointTaken): Promise<TableRow[]> {
    const rows: TableRow[] = [];
    for (const { table, chunks } of fact.tables) {
      for (const hash of chunks) {
        const bytes = await readBlob(this.store, this.workflow, hash);
        if (typeof bytes === "string") this.fail(bytes, seq, `checkpoint chunk ${hash}`);
        else for (const row of openChunk(table, bytes)) rows.push(tableRow(table, row));
      }
    }
    return rows;
  }

  private fail(code: Problem["code"], position: Seq, note: string): void {
    this.problem ??= { code, workflow: this.workflow, position, note };
  }
}

function tableRow<T extends TableName>(table: T, row: Rows[T]): TableRow {
  return { table, row } as unknown as TableRow;
}
