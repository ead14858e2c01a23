import type { Hash } from "../canonical/index.ts";
import { type BudgetVersion, periodMs } from "../grant/grant.ts";
import type { ActiveTime, Spent } from "../grant/judge.ts";
import type { SealedRecord } from "../journal/record.ts";
import type { Arrival } from "../restore/arrival.ts";
import type { Blob } from "../view/payload.ts";
import type { RowChange, RowKey } from "../view/row-change.ts";
import type { AttentionRow, EventRow, Instant, Rows, Seq, VerdictRow } from "../view/rows.ts";
import type { TableName } from "../view/tables.ts";
import type { KeptOf, KeptResult } from "./kept-result.ts";
import type { ListedTable, ListName, ListQuery } from "./lists.ts";
import type { Need } from "./need.ts";
import type { StoreBrake, StoreBrakeTurn, TurnedStoreBrake } from "./store-brake.ts";

export { deliveriesPerRunMax, machineInputsMax } from "./need.ts";
export type { Need };

/**
 * The one way state reaches a disk. Every adapter (memory, sqlite, postgres) keeps the same
 * promises, written here and proven by one suite; an adapter executes row changes and contains no
 * rule of its own beyond the constraints that guard the core against itself.
 */

export type Head = { readonly seq: Seq; readonly hash: Hash; readonly at: Instant };

/** Everything one decision changes, for one workflow, all or nothing. */
export type Change = {
  readonly workflow: string;
  /** Of the owner who decided; a takeover since then makes the answer `lease_lost`. */
  readonly epoch: number;
  /** Head the decision was made on; anything else makes the answer `conflict`. */
  readonly expectedHead: Seq;
  /** Contiguous from expectedHead + 1. */
  readonly records: readonly SealedRecord[];
  readonly rows: readonly RowChange[];
  readonly blobs: readonly Blob[];
  /** Of a snapshot of machines: kept apart from blobs, since they are collected; absent = none. */
  readonly parts?: readonly Blob[];
  /** When the workflow next has work of its own; null = only the inbox can wake it. */
  readonly dueAt: Instant | null;
  /**
   * From peek: every event of the topic below the position is consumed or skipped. A hint that
   * makes later peeks cheap; a stale or false one must never hide an event.
   */
  readonly settledBelow: readonly { readonly topic: string; readonly position: Seq }[];
  /** Of the phases whose outcome this change is, kept or lost with it; null = nothing to keep. */
  readonly trace: RunTrace | null;
  /** Each as it was when calls were judged; one that has moved makes it `budget_moved`. */
  readonly budgets: readonly BudgetVersion[];
  /** Reads that are about to be made, or have come to another amount; absent = none. */
  readonly counted?: readonly CountedRead[];
  /** Answers to metered calls, kept before the script sees them; absent = none. */
  readonly kept?: readonly KeptResult[];
  /** Retry chains that are over: what was kept for them goes; absent = none. */
  readonly forgetKept?: readonly string[];
  /** The workflow's traces up to this position are no longer wanted; null = keep them. */
  readonly forgetTracesThrough: Seq | null;
};

/**
 * A read or a metered call, counted because a grant limits it. No fact, never folded, forgotten
 * once no window reaches back to it; counted again under its name, it has another amount.
 */
export type CountedRead = {
  readonly readId: string;
  readonly runId: string;
  readonly connection: string;
  readonly operation: string;
  readonly at: Instant;
  /** In ten-thousandths; null = none is counted. */
  readonly amount: number | null;
  readonly budget: string | null;
};

/** A day longer than the longest window. */
export const countedForMs = periodMs.week + periodMs.day;

/** `runId` null = of every run. */
export type ReadsOf = Omit<UsageOf, "except"> & { readonly runId: string | null };

/**
 * What a run did on the way to one change: its calls and log lines. For people and for repair;
 * no fact, never folded, and gone after a while.
 */
export type RunTrace = {
  readonly runId: string;
  readonly at: Instant;
  /** Means nothing to the store. */
  readonly text: string;
};

/** At the position of the last fact of its change. */
export type KeptTrace = RunTrace & { readonly seq: Seq };

/**
 * The epoch is judged before the head; a workflow nobody created answers lease_lost. An epoch
 * stays good until the next claim raises it, whatever the lease says.
 *
 * committed: durable, will be there after any crash. conflict, lease_lost: nothing was written.
 * budget_moved: nothing was written, and the head may be where it was.
 * refused: a database constraint caught what the core should never have asked; nothing was
 * written. unknown: nobody can say; perform nothing, drop the view, reload.
 */
export type CommitAnswer =
  | { readonly kind: "committed"; readonly head: Seq }
  | { readonly kind: "conflict"; readonly head: Seq }
  | { readonly kind: "lease_lost" }
  | { readonly kind: "budget_moved" }
  | { readonly kind: "refused"; readonly constraint: string; readonly note: string }
  | { readonly kind: "unknown"; readonly cause: unknown };

export type TableRow = {
  [T in TableName]: { readonly table: T; readonly row: Rows[T] };
}[TableName];

export type Loaded = {
  readonly workflow: string;
  readonly head: Head;
  readonly epoch: number;
  /** Each row once, whatever number of needs asked for it. */
  readonly rows: readonly TableRow[];
  /** Keys of `row` needs that have no row: known to be absent, not merely not loaded. */
  readonly absent: readonly { readonly table: TableName; readonly key: RowKey }[];
  readonly needs: readonly Need[];
};

export type Peek = {
  /** Pending and unreserved, oldest first. */
  readonly events: readonly EventRow[];
  /** Lowest position of a pending or reserved event; null = there is none. */
  readonly settledBelow: Seq | null;
};

/** Which calls of a workflow's ledger are summed up: those recorded after that time. */
export type UsageOf = {
  readonly connection: string;
  readonly operation: string;
  /** Of the last send, or of its record for what was never sent. */
  readonly after: Instant;
  /** Left out, because it is the one that is judged; null = none is. */
  readonly except: string | null;
};

export type EndedTime = Pick<ActiveTime, "activeMs" | "oldestAt">;

/** Which calls of all workflows are summed up: charged to a budget, and sent after that time. */
export type ChargedTo = {
  readonly budget: string;
  /** Only what this run has called; absent = what all runs of all workflows have. */
  readonly run?: { readonly workflow: string; readonly runId: string };
  /** Of the last send, or of its record for what was never sent. */
  readonly after: Instant;
  /** Left out, because it is the one that is judged; null = none is. */
  readonly except: { readonly workflow: string; readonly mutationId: string } | null;
};

export type Command = {
  /** Idempotency key: the same id with the same body is the same command. */
  readonly commandId: string;
  readonly workflow: string;
  readonly actor: string;
  readonly kind: string;
  /** Canonical bytes of the command's body. */
  readonly body: Uint8Array;
  readonly at: Instant;
};

export type InboxEntry = Command & { readonly position: number };

export type CommandReceipt = {
  readonly position: number;
  /** True when this id was there before with the same body. */
  readonly duplicate: boolean;
  readonly verdict: VerdictRow | null;
};

export type Claim = {
  readonly workflow: string;
  readonly epoch: number;
  /** An owner died, and nothing was committed since: its last run may have died with it. */
  readonly unclean: boolean;
};

/** What a claim gave, by the names that tell it from every other claim. */
export type Owned = Pick<Claim, "workflow" | "epoch">;

export type ClaimAnswer = {
  readonly claims: readonly Claim[];
  /** Workflows with work to do whose journal holds fact versions this program does not know. */
  readonly tooNew: readonly string[];
};

export type JournalEntry = { readonly seq: Seq; readonly hash: Hash; readonly bytes: Uint8Array };

export type WorkflowSummary = {
  readonly workflow: string;
  readonly head: Head;
  readonly epoch: number;
  readonly owner: string | null;
  readonly dueAt: Instant | null;
  readonly factVersion: number;
  /** Position of the last command that was taken in; 0 = none yet. */
  readonly inboxTail: number;
};

/** A hint that there may be something to do. */
export type Wake = {
  /** Whose inboxes were appended to; null = anything may have happened, look everywhere. */
  readonly workflows: readonly string[] | null;
};

/** How the work is spread over the hosts at this moment. */
export type Census = {
  /** Hosts whose lease has not run out. */
  readonly hosts: number;
  /** Workflows that a living host owns. */
  readonly owned: number;
  /** Workflows that `claim` would give out now, counted no further than `waitingCountMax`. */
  readonly waiting: number;
};

/** Beyond this it makes no difference how many wait. */
export const waitingCountMax = 1_000;

/** Which workflows moved on, for live views. */
export type Changes = {
  /** Each workflow once, with the head it has now, in no order. */
  readonly changed: readonly { readonly workflow: string; readonly head: Seq }[];
  /** To be given back as `after`; means something to this store only. */
  readonly cursor: string;
};

/** Where a question stands among all of them: by its time, then by workflow and id. */
export type AttentionPlace = {
  readonly openedAt: Instant;
  readonly workflow: string;
  readonly attentionId: string;
};

export type AttentionQuery = {
  /** null = of every workflow. */
  readonly workflow: string | null;
  /** null = open and closed ones. Of every workflow only the open ones can be asked for. */
  readonly isOpen: boolean | null;
  /** The last one of the page before; null = from the newest. */
  readonly after: AttentionPlace | null;
  readonly limit: number;
};

export type ListedAttention = { readonly workflow: string; readonly row: AttentionRow };

/** Every call names a created workflow; any other is WORKFLOW_UNKNOWN, except in commit. */
export interface Store {
  /** Changes with every restore or import: what was sent since is then not in the ledger. */
  readonly storeIncarnation: string;
  /** The store that this one was restored from; null = it was never restored. */
  readonly restoredFrom: string | null;
  /** How it came here, if it was imported and not restored since. */
  readonly arrival?: Arrival;

  /** Idempotent. The empty journal of a workflow; its first change expects head 0. */
  createWorkflow(workflow: string): Promise<{ readonly created: boolean }>;

  /**
   * One answer per change, in order. Changes that arrive together share one sync (group commit);
   * a miss or a refusal of one never fails another. A promise resolves only when its answer is
   * durable.
   */
  commit(changes: readonly Change[]): Promise<readonly CommitAnswer[]>;

  /**
   * After an `unknown` answer, waits for whoever is writing the workflow. A change that had not
   * got as far may still land later: then the next commit on the older head is a conflict.
   */
  load(workflow: string, needs: readonly Need[]): Promise<Loaded>;
  peek(workflow: string, topic: string, limit: number): Promise<Peek>;
  loadBlob(workflow: string, hash: Hash): Promise<Uint8Array>;
  /** In the order asked for, as they are: who reads them hashes them. Null = there is none. */
  loadParts(workflow: string, hashes: readonly Hash[]): Promise<readonly (Uint8Array | null)[]>;
  /** In the order of their hashes, only those after the given one; null = from the first. */
  listParts(workflow: string, after: Hash | null, limit: number): Promise<readonly Hash[]>;
  /**
   * Deletes those of these parts that no change has given for so long, by the store's own clock,
   * and says how many. One that is given meanwhile stays.
   */
  sweepParts(workflow: string, hashes: readonly Hash[], untouchedMs: number): Promise<number>;
  /**
   * Sums up the ledger, but for what failed; an amount beyond what a number holds exactly is the
   * largest that it does. Exact for its owner: what is recorded meanwhile moves
   * the head, and the change that was decided on the sum is a conflict.
   */
  sumUsage(workflow: string, of: UsageOf): Promise<Spent>;
  /**
   * How long the code of runs has run that ended after that time, and when the first of them did.
   * What is still open is not in it.
   */
  sumActive(workflow: string, after: Instant): Promise<EndedTime>;
  /** The same of reads that were counted. */
  sumReads(workflow: string, of: ReadsOf): Promise<Spent>;
  /** What was kept of a metered call; null = nothing is. */
  findKept(workflow: string, of: KeptOf): Promise<KeptResult | null>;
  /**
   * The same for a budget, over all workflows or for one run, reads too. The version is not newer
   * than the sum: a change that expects it lands only if nothing was charged that the sum does not
   * know.
   */
  sumBudget(of: ChargedTo): Promise<Spent & { readonly version: number }>;

  /**
   * Durable when it resolves. A heading that admitHeading faults is COMMAND_MALFORMED, the same
   * id with another kind or body is COMMAND_ID_REUSED.
   */
  appendCommand(command: Command): Promise<CommandReceipt>;
  /** In order, only commands after the workflow's inboxThrough. */
  readInbox(workflow: string, limit: number): Promise<readonly InboxEntry[]>;
  findVerdict(workflow: string, commandId: string): Promise<VerdictRow | null>;
  /**
   * The brake on all sending; on twice stays the first one. It waits for no workflow. One that is
   * created while it is on has the turn's command first in its inbox, every other is told of it.
   */
  turnStoreBrake(turn: StoreBrakeTurn): Promise<TurnedStoreBrake>;
  /** The last turn's command into the inbox, if it is not there; never after a later one's. */
  tellOfStoreBrake(workflow: string): Promise<void>;
  /** Null = it is off. */
  findStoreBrake(): Promise<StoreBrake | null>;

  /**
   * Registers a host incarnation; the lease runs from now on the store's own clock. One that is
   * already registered, living or dead, is HOST_TAKEN: two processes would act as one owner.
   */
  openHost(host: { readonly incarnation: string; readonly leaseMs: number }): Promise<void>;
  /** False when the lease had already run out: the host must stop at once. */
  heartbeat(incarnation: string): Promise<boolean>;
  /** Releases everything the incarnation owns, at once. */
  closeHost(incarnation: string): Promise<void>;
  /**
   * Takes workflows nobody living owns, each with a new epoch: those that are due, longest overdue
   * first, and every one whose owner died, due or not, because it may have died in mid-run. That
   * one stays due and unclean, whoever gives it back, until its owner commits; if there is nothing
   * else to say, a change without records.
   */
  claim(incarnation: string, limit: number): Promise<ClaimAnswer>;
  /**
   * Takes this one, due or not, if nobody living owns it and this program can read it; null = not
   * now. For work that only this host can do: everything else is taken by `claim`.
   */
  claimOne(incarnation: string, workflow: string): Promise<Claim | null>;
  /** Only of that epoch: one that arrives late must not take away what was claimed anew. */
  release(incarnation: string, owned: Owned): Promise<void>;
  /** Earliest time a workflow could be claimed, those too new left out; null = nothing waits. */
  nextDueAt(): Promise<Instant | null>;
  census(): Promise<Census>;
  /**
   * Calls back soon after a command was appended, by whichever process. Wake-ups may be lost or
   * repeated: who relies on them also looks by itself from time to time. The answer ends it.
   */
  watch(onWake: (wake: Wake) => void): () => void;

  readJournal(workflow: string, after: Seq, limit: number): Promise<readonly JournalEntry[]>;
  /** In the order of their positions, only those after the given one. */
  readTraces(workflow: string, after: Seq, limit: number): Promise<readonly KeptTrace[]>;
  /**
   * Forgets traces of all workflows from before the time, the oldest first, no more than the
   * limit, and says how many. Several hosts may do it at once, and none waits for it.
   */
  pruneTraces(before: Instant, limit: number): Promise<number>;
  listWorkflows(after: string | null, limit: number): Promise<readonly WorkflowSummary[]>;
  /**
   * Every workflow whose head moved since the cursor was given out. null = from now on: nothing,
   * and the first cursor. A change that was committed is in exactly one answer of a chain of
   * cursors or covered by a later one of the same workflow; none is passed over.
   */
  readChanges(after: string | null): Promise<Changes>;
  /**
   * Rows of a table in key order (text by code point), all from one moment; only those whose key
   * begins with `under`, if it is given, and then without reading the others.
   */
  scan<T extends TableName>(workflow: string, table: T, under?: RowKey): AsyncIterable<Rows[T]>;
  /** One page of the questions to people, without reading those on other pages. */
  listAttentions(query: AttentionQuery): Promise<readonly ListedAttention[]>;
  /**
   * Workflows with a call that waits until this executor asks for work, each once, by name, and
   * without reading any other; only those after the given one, null = from the first.
   */
  listAwaiting(executor: string, after: string | null, limit: number): Promise<readonly string[]>;
  /** One page of a list, without reading what is on other pages. */
  listRows<L extends ListName>(query: ListQuery<L>): Promise<readonly Rows[ListedTable<L>][]>;
  /** How many rows that page would have. */
  countRows(query: ListQuery<ListName>): Promise<number>;

  /** What is wrong with the store's own structures (pages, indexes), in words; empty = nothing. */
  findDamage(): Promise<readonly string[]>;

  /** May be called twice; everything else then is STORE_CLOSED. */
  close(): Promise<void>;
}
