import type { Change, CommitAnswer, Instant } from "@holdfast/core";
import { answersOf, type CommitOutcome } from "../commit-outcome.ts";
import { findAsideMisfit } from "../fit.ts";
import { persistBlobs } from "./blobs.ts";
import { budgetMoved, moveBudgets } from "./budgets.ts";
import type { Connection } from "./connection.ts";
import { persistCounted } from "./counted-reads.ts";
import { constraintOf, isRefusal } from "./errors.ts";
import type { GroupCommit, Outcome } from "./group-commit.ts";
import { persistKept } from "./kept-results.ts";
import type { KnownHeads } from "./known-heads.ts";
import { persistParts } from "./parts.ts";
import { ChangeRefused, type RowStatements, refuseMisfit } from "./row-statements.ts";
import { inRows, textsForRows } from "./several-rows.ts";
import { persistTrace } from "./traces.ts";

/** The one compare: who decided on another head, or is no longer the owner, writes nothing. */
const moveHead = `
UPDATE workflows SET head = ?, head_hash = ?, head_at = ?, due_at = ?,
  unclean_since = NULL, fact_version = max(fact_version, ?)
WHERE id = ? AND epoch = ? AND head = ?`;

const keepHead = `
UPDATE workflows SET due_at = ?, unclean_since = NULL WHERE id = ? AND epoch = ? AND head = ?`;

/** A hint is only taken as far as it is still true: an event may have come back since its peek. */
const raiseLowWater = `
UPDATE topics SET low_water = min(?3, coalesce((
  SELECT min(position) FROM events INDEXED BY events_unsettled WHERE workflow = ?1 AND topic = ?2
    AND (status = 'pending' OR status = 'reserved')), ?3))
WHERE workflow = ?1 AND name = ?2 AND low_water < ?3`;

const insertRecords = textsForRows(
  "INSERT INTO journal (workflow, seq, hash, bytes) VALUES ",
  "(?, ?, ?, ?)",
);

type WriterParts = {
  readonly statements: RowStatements;
  readonly group: GroupCommit;
  readonly heads: KnownHeads;
  readonly clock: () => Instant;
};

export class ChangeWriter {
  readonly #connection: Connection;
  readonly #statements: RowStatements;
  readonly #group: GroupCommit;
  readonly #heads: KnownHeads;
  readonly #clock: () => Instant;

  constructor(connection: Connection, parts: WriterParts) {
    this.#connection = connection;
    this.#statements = parts.statements;
    this.#group = parts.group;
    this.#heads = parts.heads;
    this.#clock = parts.clock;
  }

  async persist(changes: readonly Change[]): Promise<readonly CommitAnswer[]> {
    const writes = changes.map((change) => this.#group.write(() => this.#apply(change)));
    return answersOf((await Promise.all(writes)).map(outcomeOf));
  }

  #apply(change: Change): CommitAnswer {
    const { workflow, rows, blobs, parts = [], settledBelow } = change;
    const { atBoundary } = this.#connection;
    if (!this.#compareHead(change)) return this.#explainMiss(change);
    atBoundary?.("head compared");
    moveBudgets(this.#connection, change.budgets);
    checkContiguous(change);
    refuseMisfit(findAsideMisfit(change));
    this.#persistRecords(change);
    for (let at = 0; at < rows.length; ) {
      at += this.#statements.executeFrom(at, workflow, rows);
      atBoundary?.("row change done");
    }
    persistTrace(this.#connection, change);
    persistCounted(this.#connection, change);
    persistKept(this.#connection, change);
    if (parts.length > 0) persistParts(this.#connection, workflow, parts, this.#clock());
    if (blobs.length > 0) persistBlobs(this.#connection, workflow, blobs, this.#clock());
    for (const { topic, position } of settledBelow) {
      this.#connection.run(raiseLowWater, workflow, topic, position);
      atBoundary?.("low water raised");
    }
    return { kind: "committed", head: this.#noteHead(change) };
  }

  /** Last of all: what was refused before has moved nothing. */
  #noteHead({ workflow, epoch, expectedHead, records }: Change): number {
    const last = records.at(-1);
    if (last === undefined) return expectedHead;
    const { seq, hash, at } = last;
    this.#heads.moved(workflow, { head: { seq, hash, at }, epoch });
    return seq;
  }

  #persistRecords({ workflow, records }: Change): void {
    for (const some of inRows(records)) {
      const values = some.flatMap(({ seq, hash, bytes }) => [workflow, seq, hash, bytes]);
      this.#connection.run(insertRecords(some.length), ...values);
      this.#connection.atBoundary?.("journal rows written");
    }
  }

  #compareHead({ workflow, epoch, expectedHead, records, dueAt }: Change): boolean {
    const last = records.at(-1);
    if (last === undefined) {
      return this.#connection.run(keepHead, dueAt, workflow, epoch, expectedHead) === 1;
    }
    const version = records.reduce((most, record) => Math.max(most, record.version), 0);
    const { hash, at } = last;
    const head = expectedHead + records.length;
    const compared = [workflow, epoch, expectedHead] as const;
    return this.#connection.run(moveHead, head, hash, at, dueAt, version, ...compared) === 1;
  }

  #explainMiss({ workflow, epoch }: Change): CommitAnswer {
    const row = this.#connection.row("SELECT head, epoch FROM workflows WHERE id = ?", workflow);
    if (row === undefined || row[1] !== epoch) return { kind: "lease_lost" };
    return { kind: "conflict", head: Number(row[0]) };
  }
}

function checkContiguous({ expectedHead, records }: Change): void {
  for (const [index, { seq }] of records.entries()) {
    const expected = expectedHead + 1 + index;
    if (seq === expected) continue;
    throw new ChangeRefused("records_contiguous", `record ${seq} where ${expected} belongs`);
  }
}

function outcomeOf(outcome: Outcome<CommitAnswer>): CommitOutcome {
  if (outcome.kind === "done") return { kind: "answered", answer: outcome.value };
  const { error } = outcome;
  if (outcome.kind === "unknown") {
    return { kind: "answered", answer: { kind: "unknown", cause: error } };
  }
  const constraint = refusedBy(error);
  if (constraint === null) return { kind: "failed", error };
  if (constraint === budgetMoved) return { kind: "answered", answer: { kind: budgetMoved } };
  const note = error instanceof Error ? error.message : String(error);
  return { kind: "answered", answer: { kind: "refused", constraint, note } };
}

/** Null = the write failed for a reason that is not in the change. */
function refusedBy(error: unknown): string | null {
  if (error instanceof ChangeRefused) return error.constraint;
  return isRefusal(error) ? constraintOf(error) : null;
}
