import {
  type Arrival,
  type AttentionQuery,
  type Census,
  type Change,
  type Changes,
  type ClaimAnswer,
  type Command,
  type CommandReceipt,
  type CommitAnswer,
  factVersion,
  type Hash,
  type InboxEntry,
  type Instant,
  type JournalEntry,
  type KeptTrace,
  type ListedAttention,
  type ListedTable,
  type ListName,
  type ListQuery,
  type Loaded,
  listShapes,
  type Need,
  type Owned,
  type RowKey,
  type Rows,
  type Seq,
  type Store,
  type StoreBrakeTurn,
  type TableName,
  type Wake,
  type WorkflowSummary,
} from "@holdfast/core";
import { type SqlValue, tableCodecs } from "../columns.ts";
import { requireHeading, requireWorkflowName } from "../store-errors.ts";
import { Watchers } from "../watchers.ts";
import { attentionsQuery, decodeAttention } from "./attentions.ts";
import { awaitingQuery } from "./awaiting.ts";
import { loadBlob } from "./blobs.ts";
import { sumBudget } from "./budgets.ts";
import { changesAfter, decodeChanged } from "./changes.ts";
import { ChangeWriter } from "./commit.ts";
import type { Connection, SqliteRow } from "./connection.ts";
import { sumReads } from "./counted-reads.ts";
import { damageIn, damageQuery } from "./damage.ts";
import { storeError } from "./errors.ts";
import { GroupCommit } from "./group-commit.ts";
import { appendCommand, findVerdict, readInbox } from "./inbox.ts";
import {
  type BulkQuery,
  createWorkflow,
  decodeEntry,
  decodeSummary,
  journalQuery,
  summaryQuery,
} from "./journal.ts";
import { findKept } from "./kept-results.ts";
import { KnownHeads } from "./known-heads.ts";
import * as lease from "./lease.ts";
import { countQuery, listQuery } from "./lists.ts";
import { loadNeeds, requireWorkflow } from "./load.ts";
import type { FolderLock } from "./lock.ts";
import { listParts, loadParts, sweepParts } from "./parts.ts";
import { logOf, type Parts } from "./parts-of-store.ts";
import { peekEvents } from "./peek.ts";
import type { BulkReader } from "./reader.ts";
import { RowStatements } from "./row-statements.ts";
import { scanQuery } from "./scan.ts";
import { findStoreBrake, tellOfStoreBrake, turnStoreBrake } from "./store-brake.ts";
import { decodeTrace, pruneTraces, traceQuery } from "./traces.ts";
import { sumActive, sumUsage } from "./usage.ts";

/** Reads up to this many rows stay on the main connection: a hop to the thread costs more. */
const rowsInPlaceMax = 100;

/**
 * The port on one writing connection. Writes go through the group, point reads happen at once on
 * the same connection, everything long on the reader.
 */
export class SqliteStore implements Store {
  readonly storeIncarnation: string;
  readonly restoredFrom: string | null;
  readonly arrival?: Arrival;
  readonly #connection: Connection;
  readonly #reader: BulkReader;
  readonly #lock: FolderLock | null;
  readonly #clock: () => Instant;
  readonly #knownFactVersion: number;
  readonly #log: ReturnType<typeof logOf>;
  readonly #group: GroupCommit;
  readonly #changes: ChangeWriter;
  readonly #watchers = new Watchers();
  /** Seen empty by the one process that can write: empty until it appends something itself. */
  readonly #emptyInboxes = new Set<string>();
  readonly #heads = new KnownHeads();
  #closing: Promise<void> | null = null;

  constructor(parts: Parts) {
    const { connection, clock, pageCountMax } = parts;
    this.storeIncarnation = parts.storeIncarnation;
    this.restoredFrom = parts.restoredFrom;
    if (parts.arrival !== undefined) this.arrival = parts.arrival;
    this.#connection = connection;
    this.#reader = parts.reader;
    this.#lock = parts.lock;
    this.#clock = clock;
    this.#knownFactVersion = parts.knownFactVersion ?? factVersion;
    if (pageCountMax !== undefined) connection.db.exec(`PRAGMA max_page_count = ${pageCountMax}`);
    this.#log = logOf(parts);
    this.#group = new GroupCommit(connection, { heads: this.#heads, ...this.#log });
    if (parts.lock !== null) process.once("exit", this.#atExit);
    const statements = new RowStatements(connection);
    const writing = { statements, group: this.#group, heads: this.#heads, clock };
    this.#changes = new ChangeWriter(connection, writing);
  }

  /** Transactions that reached the disk so far: one sync each. */
  get groupCount(): number {
    return this.#group.groupCount;
  }

  /** The settings that durability hangs on, as the writer and a reader have them now. */
  async durability(): Promise<Readonly<Record<"writer" | "reader", Record<string, SqlValue>>>> {
    this.#group.admit();
    return { writer: this.#connection.durability(), reader: await this.#reader.durability() };
  }

  async createWorkflow(workflow: string): Promise<{ readonly created: boolean }> {
    this.#group.admit();
    requireWorkflowName(workflow);
    return this.#group.persist(() => createWorkflow(this.#connection, workflow, this.#clock()));
  }

  async commit(changes: readonly Change[]): Promise<readonly CommitAnswer[]> {
    this.#group.admit();
    return this.#changes.persist(changes);
  }

  async load(workflow: string, needs: readonly Need[]): Promise<Loaded> {
    return this.#read(() => {
      const known = this.#heads.find(workflow, this.#connection, this.#lock !== null);
      return loadNeeds(this.#connection, workflow, needs, known);
    });
  }

  readonly peek: Store["peek"] = async (workflow, topic, limit) =>
    this.#read(() => peekEvents(this.#connection, { workflow, topic, limit }));

  readonly sumUsage: Store["sumUsage"] = async (workflow, of) =>
    this.#read(() => sumUsage(this.#connection, workflow, of));

  readonly sumActive: Store["sumActive"] = async (workflow, after) =>
    this.#read(() => sumActive(this.#connection, workflow, after));

  readonly sumReads: Store["sumReads"] = async (workflow, of) =>
    this.#read(() => sumReads(this.#connection, workflow, of));

  readonly findKept: Store["findKept"] = async (workflow, of) =>
    this.#read(() => findKept(this.#connection, workflow, of));

  readonly sumBudget: Store["sumBudget"] = async (of) =>
    this.#read(() => sumBudget(this.#connection, of));

  async loadBlob(workflow: string, hash: Hash): Promise<Uint8Array> {
    return this.#read(() => loadBlob(this.#connection, workflow, hash));
  }

  async loadParts(workflow: string, hashes: readonly Hash[]) {
    return this.#read(() => loadParts(this.#connection, workflow, hashes));
  }

  async listParts(workflow: string, after: Hash | null, limit: number) {
    return this.#read(() => listParts(this.#connection, workflow, after, limit));
  }

  async sweepParts(workflow: string, hashes: readonly Hash[], untouchedMs: number) {
    const before = this.#clock() - untouchedMs;
    return this.#group.persist(() => sweepParts(this.#connection, workflow, hashes, before));
  }

  async appendCommand(command: Command): Promise<CommandReceipt> {
    this.#group.admit();
    requireHeading(command);
    const receipt = await this.#group.persist(() => {
      this.#emptyInboxes.delete(command.workflow);
      return appendCommand(this.#connection, command, this.#clock());
    });
    if (receipt.verdict === null) this.#watchers.wake({ workflows: [command.workflow] });
    return receipt;
  }

  async readInbox(workflow: string, limit: number): Promise<readonly InboxEntry[]> {
    return this.#read(() => {
      if (this.#emptyInboxes.has(workflow)) return [];
      const entries = readInbox(this.#connection, workflow, limit);
      if (this.#lock !== null && entries.length === 0) this.#emptyInboxes.add(workflow);
      return entries;
    });
  }

  readonly findVerdict: Store["findVerdict"] = async (workflow, commandId) =>
    this.#read(() => findVerdict(this.#connection, workflow, commandId));

  async turnStoreBrake(turn: StoreBrakeTurn) {
    return this.#group.persist(() => turnStoreBrake(this.#connection, turn));
  }

  async tellOfStoreBrake(workflow: string): Promise<void> {
    await this.#group.persist(() => {
      this.#emptyInboxes.delete(workflow);
      tellOfStoreBrake(this.#connection, workflow, this.#clock());
    });
    this.#watchers.wake({ workflows: [workflow] });
  }

  readonly findStoreBrake: Store["findStoreBrake"] = async () =>
    this.#read(() => findStoreBrake(this.#connection));

  async openHost(host: { readonly incarnation: string; readonly leaseMs: number }): Promise<void> {
    return this.#group.persist(() => lease.openHost(this.#connection, host, this.#clock()));
  }

  async heartbeat(incarnation: string): Promise<boolean> {
    return this.#group.persist(() => {
      return lease.heartbeat(this.#connection, incarnation, this.#clock());
    });
  }

  async closeHost(incarnation: string): Promise<void> {
    return this.#group.persist(() => lease.closeHost(this.#connection, incarnation));
  }

  async claim(incarnation: string, limit: number): Promise<ClaimAnswer> {
    return this.#group.persist(() => {
      this.#heads.forgetAll();
      return lease.claim(this.#connection, { incarnation, limit }, this.#moment());
    });
  }

  readonly claimOne: Store["claimOne"] = async (incarnation, workflow) =>
    this.#group.persist(() => {
      requireWorkflow(this.#connection, workflow);
      this.#heads.forgetAll();
      return lease.claimOne(this.#connection, { incarnation, workflow }, this.#moment());
    });

  async release(incarnation: string, owned: Owned): Promise<void> {
    return this.#group.persist(() => lease.release(this.#connection, incarnation, owned));
  }

  async nextDueAt(): Promise<Instant | null> {
    return this.#read(() => lease.nextDueAt(this.#connection, this.#moment()));
  }

  async census(): Promise<Census> {
    return this.#read(() => lease.takeCensus(this.#connection, this.#moment()));
  }

  /** No other process can append: whoever writes here has the folder. */
  watch(onWake: (wake: Wake) => void): () => void {
    this.#group.admit();
    return this.#watchers.add(onWake);
  }

  async readJournal(workflow: string, after: Seq, limit: number): Promise<readonly JournalEntry[]> {
    this.#read(() => requireWorkflow(this.#connection, workflow));
    const rows = await this.#readBulk(journalQuery(workflow, after, limit), limit);
    return rows.map(decodeEntry);
  }

  async readTraces(workflow: string, after: Seq, limit: number): Promise<readonly KeptTrace[]> {
    this.#read(() => requireWorkflow(this.#connection, workflow));
    return (await this.#readBulk(traceQuery(workflow, after, limit), limit)).map(decodeTrace);
  }

  async pruneTraces(before: Instant, limit: number): Promise<number> {
    return this.#group.persist(() => pruneTraces(this.#connection, before, limit));
  }

  async listWorkflows(after: string | null, limit: number): Promise<readonly WorkflowSummary[]> {
    return (await this.#readBulk(summaryQuery(after, limit), limit)).map(decodeSummary);
  }

  async readChanges(after: string | null): Promise<Changes> {
    const [connection, store] = [this.#connection, this.storeIncarnation];
    const reading = this.#read(() => changesAfter(connection, after, store));
    const rows = await this.#readBulk(reading.query, reading.recordCount);
    return { changed: rows.map(decodeChanged), cursor: reading.cursor };
  }

  async *scan<T extends TableName>(workflow: string, table: T, under: RowKey = []) {
    this.#read(() => requireWorkflow(this.#connection, workflow));
    const { decodeRow } = tableCodecs[table];
    for await (const batch of this.#reader.stream(scanQuery(workflow, table, under))) {
      for (const row of batch) yield decodeRow(row) as Rows[T];
    }
  }

  async listAttentions(query: AttentionQuery): Promise<readonly ListedAttention[]> {
    const { workflow, limit } = query;
    if (workflow !== null) this.#read(() => requireWorkflow(this.#connection, workflow));
    return (await this.#readBulk(attentionsQuery(query), limit)).map(decodeAttention);
  }

  readonly listAwaiting: Store["listAwaiting"] = async (executor, after, limit) =>
    (await this.#readBulk(awaitingQuery(executor, after, limit), limit)).map(([id]) => String(id));

  async listRows<L extends ListName>(
    query: ListQuery<L>,
  ): Promise<readonly Rows[ListedTable<L>][]> {
    this.#read(() => requireWorkflow(this.#connection, query.workflow));
    const { decodeRow } = tableCodecs[listShapes[query.list].table];
    const rows = await this.#readBulk(listQuery(query), query.limit);
    return rows.map((row) => decodeRow(row)) as never;
  }

  async countRows(query: ListQuery<ListName>): Promise<number> {
    this.#read(() => requireWorkflow(this.#connection, query.workflow));
    const [[count] = []] = await this.#readBulk(countQuery(query), query.limit);
    return Number(count);
  }

  async findDamage(): Promise<readonly string[]> {
    this.#group.admit();
    return damageIn(await this.#reader.all(damageQuery));
  }

  /** What was asked for before is written first. Twice is once. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#watchers.endAll();
    this.#group.close();
    try {
      await this.#reader.close();
    } finally {
      this.#letGo();
    }
  }

  /**
   * A process that ends without closing its store lets SQLite remove the log; unless that is
   * noted, the next start would miss it and suspect a loss.
   */
  readonly #atExit = (): void => {
    this.#group.close();
    this.#letGo();
    // However else it ends, SQLite closes the database, copies what is left and removes the log.
    if (this.#group.mustKeepLog) process.kill(process.pid, "SIGKILL");
  };

  /** A log that has to stay, and its folder, are let go of by the end of the process alone. */
  #letGo(): void {
    if (this.#group.mustKeepLog) return;
    process.off("exit", this.#atExit);
    this.#connection.atBoundary?.("store closing");
    try {
      if (!this.#group.isGone) this.#lock?.noteClosing();
    } catch (error) {
      throw storeError(error, { path: this.#connection.path, doing: "Closing" });
    } finally {
      this.#closeFiles();
    }
    this.#connection.atBoundary?.("lock released");
  }

  #closeFiles(): void {
    try {
      this.#connection.close();
      this.#connection.atBoundary?.("database closed");
    } finally {
      this.#log.copier?.close();
      this.#lock?.release();
    }
  }

  #moment(): lease.LeaseMoment {
    return { now: this.#clock(), knownFactVersion: this.#knownFactVersion };
  }

  #read<T>(query: () => T): T {
    this.#group.admit();
    try {
      return query();
    } catch (error) {
      throw storeError(error, { path: this.#connection.path, doing: "Reading" });
    }
  }

  async #readBulk(query: BulkQuery, limit: number): Promise<readonly SqliteRow[]> {
    if (limit > rowsInPlaceMax) {
      this.#group.admit();
      return this.#reader.all(query);
    }
    return this.#read(() => this.#connection.rows(query.sql, ...query.values));
  }
}
