import {
  type CountedRead,
  genesisHash,
  type Hash,
  type Head,
  type InboxEntry,
  type Instant,
  type JournalEntry,
  type KeptResult,
  type KeptTrace,
  type Rows,
  type TableName,
  tableNames,
} from "@holdfast/core";
import { emptyIndexes, type Indexes, reindex } from "./indexes.ts";
import type { StoredPart } from "./parts.ts";

export type Tables = { readonly [T in TableName]: Map<string, Rows[T]> };

/** Everything stored of one workflow. */
export type WorkflowState = {
  readonly workflow: string;
  head: Head;
  epoch: number;
  owner: string | null;
  dueAt: Instant | null;
  /** When an owner died after whom nothing was committed yet. */
  uncleanSince: Instant | null;
  factVersion: number;
  readonly tables: Tables;
  readonly indexes: Indexes;
  readonly journal: JournalEntry[];
  readonly blobs: Map<Hash, Uint8Array>;
  readonly parts: Map<Hash, StoredPart>;
  traces: KeptTrace[];
  countedReads: Map<string, CountedRead>;
  readonly keptResults: Map<string, KeptResult>;
  /** By position: the first command is at 1. */
  readonly inbox: StoredCommand[];
  readonly commandsById: Map<string, StoredCommand>;
};

export type StoredCommand = { readonly entry: InboxEntry; readonly appendedAt: Instant };

export function emptyWorkflow(workflow: string): WorkflowState {
  const tables = Object.fromEntries(tableNames.map((table) => [table, new Map()]));
  return {
    workflow,
    head: Object.freeze({ seq: 0, hash: genesisHash, at: 0 }),
    epoch: 0,
    owner: null,
    dueAt: null,
    uncleanSince: null,
    factVersion: 0,
    tables: tables as unknown as Tables,
    indexes: emptyIndexes(),
    journal: [],
    blobs: new Map(),
    parts: new Map(),
    traces: [],
    countedReads: new Map(),
    keptResults: new Map(),
    inbox: [],
    commandsById: new Map(),
  };
}

/** One row before and after; null = not there. Undone by writing it the other way round. */
export type RowWrite<T extends TableName = TableName> = {
  readonly table: T;
  readonly key: string;
  readonly before: Rows[T] | null;
  readonly after: Rows[T] | null;
};

export function writeRow<T extends TableName>(state: WorkflowState, write: RowWrite<T>): void {
  const rows: Map<string, Rows[T]> = state.tables[write.table];
  if (write.after === null) rows.delete(write.key);
  else rows.set(write.key, write.after);
  reindex(state.indexes, write.table, write);
}

/** Commands up to here have their verdict. */
export function inboxThrough(state: WorkflowState): number {
  return state.tables.workflows.get("")?.inboxThrough ?? 0;
}
