import {
  type Arrival,
  type AttentionQuery,
  type Census,
  type Change,
  type Changes,
  type ChargedTo,
  type Claim,
  type ClaimAnswer,
  type Command,
  type CommandReceipt,
  type CommitAnswer,
  type EndedTime,
  factVersion,
  type Hash,
  type InboxEntry,
  type Instant,
  type JournalEntry,
  type KeptOf,
  type KeptResult,
  type KeptTrace,
  type ListedAttention,
  type ListedTable,
  type ListName,
  type ListQuery,
  type Loaded,
  type Need,
  type Owned,
  type Peek,
  type ReadsOf,
  type RowKey,
  type Rows,
  type Seq,
  type Spent,
  type Store,
  type StoreBrake,
  type StoreBrakeTurn,
  type TableName,
  type TurnedStoreBrake,
  type UsageOf,
  type VerdictRow,
  type Wake,
  type WorkflowSummary,
} from "@holdfast/core";
import { closedError, requireHeading, requireWorkflowName } from "../store-errors.ts";
import { listAttentions } from "./attentions.ts";
import { listAwaiting } from "./awaiting.ts";
import { loadBlob } from "./blobs.ts";
import { sumBudget } from "./budgets.ts";
import type { Database } from "./connection.ts";
import { sumReads } from "./counted-reads.ts";
import { GroupCommit } from "./group-commit.ts";
import { appendCommand, findVerdict, readInbox } from "./inbox.ts";
import { createWorkflow, listWorkflows, readChanges, readJournal } from "./journal.ts";
import { findKept } from "./kept-results.ts";
import * as lease from "./lease.ts";
import { countRows, listRows } from "./lists.ts";
import { loadNeeds } from "./load.ts";
import { listParts, loadParts, sweepParts } from "./parts.ts";
import { peekEvents } from "./peek.ts";
import { scanTable } from "./scan.ts";
import { findStoreBrake, tellOfStoreBrake, turnStoreBrake } from "./store-brake.ts";
import { pruneTraces, readTraces } from "./traces.ts";
import { sumActive, sumUsage } from "./usage.ts";
import { WakeLine } from "./wake.ts";

/** Null where the server keeps no checksums. */
const checksumFailures = `
SELECT checksum_failures, checksum_last_failure::text FROM pg_stat_database
WHERE datname = current_database()`;

type Parts = {
  readonly database: Database;
  readonly storeIncarnation: string;
  readonly restoredFrom: string | null;
  readonly arrival?: Arrival;
  readonly knownFactVersion?: number;
};

/** The port on a PostgreSQL database that any number of hosts may share. */
export class PostgresStore implements Store {
  readonly storeIncarnation: string;
  readonly restoredFrom: string | null;
  readonly arrival?: Arrival;
  readonly #database: Database;
  readonly #lease: lease.LeaseContext;
  readonly #group: GroupCommit;
  readonly #wakeLine: WakeLine;
  /** Workflows whose last commit is unknown: loads wait for whoever is writing them. */
  readonly #doubtful = new Set<string>();
  #closing: Promise<void> | null = null;

  constructor(parts: Parts) {
    const { database, storeIncarnation, knownFactVersion = factVersion } = parts;
    this.storeIncarnation = storeIncarnation;
    this.restoredFrom = parts.restoredFrom;
    if (parts.arrival !== undefined) this.arrival = parts.arrival;
    this.#database = database;
    this.#lease = { database, store: storeIncarnation, knownFactVersion };
    this.#group = new GroupCommit(database, storeIncarnation);
    this.#wakeLine = new WakeLine(database);
  }

  /** Transactions of changes so far. */
  get groupCount(): number {
    return this.#group.groupCount;
  }

  async createWorkflow(workflow: string): Promise<{ readonly created: boolean }> {
    this.#admit();
    requireWorkflowName(workflow);
    return createWorkflow(this.#database, this.storeIncarnation, workflow);
  }

  async commit(changes: readonly Change[]): Promise<readonly CommitAnswer[]> {
    this.#admit();
    const answers = await this.#group.persist(changes);
    for (const [index, { workflow }] of changes.entries()) {
      const kind = answers[index]?.kind;
      if (kind === "unknown") this.#doubtful.add(workflow);
      // All others say that the head or the epoch moved: what was sent before can land no more.
      else if (kind !== "refused" && kind !== "budget_moved") this.#doubtful.delete(workflow);
    }
    return answers;
  }

  async load(workflow: string, needs: readonly Need[]): Promise<Loaded> {
    this.#admit();
    const locked = this.#doubtful.has(workflow);
    return loadNeeds(this.#database, workflow, needs, { locked });
  }

  async peek(workflow: string, topic: string, limit: number): Promise<Peek> {
    this.#admit();
    return peekEvents(this.#database, { workflow, topic, limit });
  }

  async sumUsage(workflow: string, of: UsageOf): Promise<Spent> {
    this.#admit();
    return sumUsage(this.#database, workflow, of);
  }

  async sumActive(workflow: string, after: Instant): Promise<EndedTime> {
    this.#admit();
    return sumActive(this.#database, workflow, after);
  }

  async sumReads(workflow: string, of: ReadsOf): Promise<Spent> {
    this.#admit();
    return sumReads(this.#database, workflow, of);
  }

  async findKept(workflow: string, of: KeptOf): Promise<KeptResult | null> {
    this.#admit();
    return findKept(this.#database, workflow, of);
  }

  async sumBudget(of: ChargedTo): Promise<Spent & { readonly version: number }> {
    this.#admit();
    return sumBudget(this.#database, this.storeIncarnation, of);
  }

  async loadBlob(workflow: string, hash: Hash): Promise<Uint8Array> {
    this.#admit();
    return loadBlob(this.#database, workflow, hash);
  }

  async loadParts(workflow: string, hashes: readonly Hash[]) {
    this.#admit();
    return loadParts(this.#database, workflow, hashes);
  }

  async listParts(workflow: string, after: Hash | null, limit: number) {
    this.#admit();
    return listParts(this.#database, workflow, { after, limit });
  }

  async sweepParts(
    workflow: string,
    hashes: readonly Hash[],
    untouchedMs: number,
  ): Promise<number> {
    this.#admit();
    const given = { workflow, hashes, untouchedMs };
    return sweepParts(this.#database, this.storeIncarnation, given);
  }

  async appendCommand(command: Command): Promise<CommandReceipt> {
    this.#admit();
    requireHeading(command);
    const receipt = await appendCommand(this.#database, this.storeIncarnation, command);
    this.#wakeLine.tell(command.workflow);
    return receipt;
  }

  async readInbox(workflow: string, limit: number): Promise<readonly InboxEntry[]> {
    this.#admit();
    return readInbox(this.#database, workflow, limit);
  }

  async findVerdict(workflow: string, commandId: string): Promise<VerdictRow | null> {
    this.#admit();
    return findVerdict(this.#database, workflow, commandId);
  }

  async turnStoreBrake(turn: StoreBrakeTurn): Promise<TurnedStoreBrake> {
    this.#admit();
    requireHeading({ ...turn.command, workflow: "all" });
    return turnStoreBrake(this.#database, this.storeIncarnation, turn);
  }

  async tellOfStoreBrake(workflow: string): Promise<void> {
    this.#admit();
    await tellOfStoreBrake(this.#database, this.storeIncarnation, workflow);
    this.#wakeLine.tell(workflow);
  }

  async findStoreBrake(): Promise<StoreBrake | null> {
    this.#admit();
    return findStoreBrake(this.#database);
  }

  async openHost(host: { readonly incarnation: string; readonly leaseMs: number }): Promise<void> {
    this.#admit();
    return lease.openHost(this.#lease, host);
  }

  async heartbeat(incarnation: string): Promise<boolean> {
    this.#admit();
    return lease.heartbeat(this.#lease, incarnation);
  }

  async closeHost(incarnation: string): Promise<void> {
    this.#admit();
    return lease.closeHost(this.#lease, incarnation);
  }

  async claim(incarnation: string, limit: number): Promise<ClaimAnswer> {
    this.#admit();
    return lease.claim(this.#lease, incarnation, limit);
  }

  async claimOne(incarnation: string, workflow: string): Promise<Claim | null> {
    this.#admit();
    return lease.claimOne(this.#lease, incarnation, workflow);
  }

  async release(incarnation: string, owned: Owned): Promise<void> {
    this.#admit();
    return lease.release(this.#lease, incarnation, owned);
  }

  async nextDueAt(): Promise<Instant | null> {
    this.#admit();
    return lease.nextDueAt(this.#lease);
  }

  async census(): Promise<Census> {
    this.#admit();
    return lease.census(this.#lease);
  }

  watch(onWake: (wake: Wake) => void): () => void {
    this.#admit();
    return this.#wakeLine.watch(onWake);
  }

  async readJournal(workflow: string, after: Seq, limit: number): Promise<readonly JournalEntry[]> {
    this.#admit();
    return readJournal(this.#database, workflow, { after, limit });
  }

  async readTraces(workflow: string, after: Seq, limit: number): Promise<readonly KeptTrace[]> {
    this.#admit();
    return readTraces(this.#database, workflow, { after, limit });
  }

  async pruneTraces(before: Instant, limit: number): Promise<number> {
    this.#admit();
    return pruneTraces(this.#database, this.storeIncarnation, { before, limit });
  }

  async listWorkflows(after: string | null, limit: number): Promise<readonly WorkflowSummary[]> {
    this.#admit();
    return listWorkflows(this.#database, after, limit);
  }

  async readChanges(after: string | null): Promise<Changes> {
    this.#admit();
    return readChanges(this.#database, this.storeIncarnation, after);
  }

  async *scan<T extends TableName>(
    workflow: string,
    table: T,
    under: RowKey = [],
  ): AsyncIterable<Rows[T]> {
    this.#admit();
    yield* scanTable(this.#database, { workflow, table, under });
  }

  async listAttentions(query: AttentionQuery): Promise<readonly ListedAttention[]> {
    this.#admit();
    return listAttentions(this.#database, query);
  }

  async listAwaiting(executor: string, after: string | null, limit: number) {
    this.#admit();
    return listAwaiting(this.#database, executor, { after, limit });
  }

  async listRows<L extends ListName>(
    query: ListQuery<L>,
  ): Promise<readonly Rows[ListedTable<L>][]> {
    this.#admit();
    return listRows(this.#database, query);
  }

  async countRows(query: ListQuery<ListName>): Promise<number> {
    this.#admit();
    return countRows(this.#database, query);
  }

  /** The server looks at its own pages while it reads them; it is asked what it has seen. */
  async findDamage(): Promise<readonly string[]> {
    this.#admit();
    const [count, last] = (await this.#database.row("find damage", checksumFailures)) ?? [];
    if (Number(count ?? 0) === 0) return [];
    return [`the server has found ${count} damaged pages in this database, last ${last}`];
  }

  /** What was asked for before is written first. Twice is once. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.#group.drain();
    await this.#wakeLine.close();
    await this.#database.close();
  }

  #admit(): void {
    if (this.#closing !== null) throw closedError();
  }
}
