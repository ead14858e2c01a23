import type { Change, CommitAnswer } from "@holdfast/core";
import { answersOf, type CommitOutcome } from "../commit-outcome.ts";
import { persistGroup } from "./commit.ts";
import type { Database } from "./connection.ts";

/** Changes that may share one transaction: bounds how long its locks are held. */
const groupChangesMax = 128;
/** Bytes that may share one statement, unless a single change is longer. */
const groupBytesMax = 8_388_608;
/** Groups under way at once: while the server writes one, the next is being made. */
const groupsAtOnceMax = 2;

type Waiting = {
  readonly change: Change;
  readonly settle: (outcome: CommitOutcome) => void;
};

/**
 * Changes that come while a group is under way wait and go together with the next. Two changes of
 * one workflow are never under way at once, so that they land in the order they came.
 */
export class GroupCommit {
  /** Transactions that were acknowledged. */
  groupCount = 0;
  readonly #database: Database;
  readonly #store: string;
  readonly #busy = new Set<string>();
  readonly #drained: (() => void)[] = [];
  #queue: Waiting[] = [];
  #underWay = 0;
  #scheduled = false;

  constructor(database: Database, store: string) {
    this.#database = database;
    this.#store = store;
  }

  async persist(changes: readonly Change[]): Promise<readonly CommitAnswer[]> {
    this.#database.admit();
    const outcomes = changes.map(
      (change) =>
        new Promise<CommitOutcome>((settle) => {
          this.#queue.push({ change, settle });
        }),
    );
    this.#schedule();
    return answersOf(await Promise.all(outcomes));
  }

  /** Resolves when everything that was asked for has its answer. */
  async drain(): Promise<void> {
    if (this.#underWay === 0 && this.#queue.length === 0) return;
    await new Promise<void>((resolve) => this.#drained.push(resolve));
  }

  /** What comes in one turn of the event loop goes together. */
  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#start();
    });
  }

  #start(): void {
    while (this.#underWay < groupsAtOnceMax) {
      const group = this.#takeGroup();
      if (group.length === 0) return;
      this.#underWay += 1;
      void this.#persistGroup(group);
    }
  }

  #takeGroup(): readonly Waiting[] {
    const group: Waiting[] = [];
    const left: Waiting[] = [];
    const passedOver = new Set<string>();
    let bytes = 0;
    for (const waiting of this.#queue) {
      const { workflow } = waiting.change;
      const own = bytesOf(waiting.change);
      const hasRoom =
        group.length === 0 || (group.length < groupChangesMax && bytes + own <= groupBytesMax);
      if (!hasRoom || this.#busy.has(workflow) || passedOver.has(workflow)) {
        passedOver.add(workflow);
        left.push(waiting);
        continue;
      }
      group.push(waiting);
      bytes += own;
      this.#busy.add(workflow);
    }
    this.#queue = left;
    return group;
  }

  async #persistGroup(group: readonly Waiting[]): Promise<void> {
    const changes = group.map(({ change }) => change);
    const outcomes = await this.#outcomesOf(changes);
    this.groupCount += 1;
    this.#underWay -= 1;
    for (const { workflow } of changes) this.#busy.delete(workflow);
    for (const [index, { settle }] of group.entries()) {
      settle(outcomes[index] ?? { kind: "failed", error: new Error("no outcome") });
    }
    if (this.#queue.length > 0) return this.#schedule();
    if (this.#underWay === 0) for (const resolve of this.#drained.splice(0)) resolve();
  }

  /** What is thrown was thrown before anything was sent. */
  async #outcomesOf(changes: readonly Change[]): Promise<readonly CommitOutcome[]> {
    try {
      return await persistGroup(this.#database, this.#store, changes);
    } catch (error) {
      return changes.map(() => ({ kind: "failed", error }));
    }
  }
}

function bytesOf({ records, blobs, parts = [] }: Change): number {
  const sum = (all: readonly { readonly bytes: Uint8Array }[]): number =>
    all.reduce((bytes, each) => bytes + each.bytes.length, 0);
  return sum(records) + sum(blobs) + sum(parts);
}
