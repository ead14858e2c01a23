import { type Change, type CommitAnswer, invariant } from "@holdfast/core";
import type { CommitOutcome } from "../commit-outcome.ts";
import { partName } from "../part-names.ts";
import { budgetMoved, budgetSteps } from "./budgets.ts";
import type { Database } from "./connection.ts";
import { countedSteps } from "./counted-reads.ts";
import { constraintOf, isFaultOfChange, isSurelyNotWritten, storeError } from "./errors.ts";
import { keptSteps } from "./kept-results.ts";
import type { PostgresRow } from "./lent-connection.ts";
import { findFault, type RowStep, stepsOf } from "./row-statements.ts";
import { type JsonStep, planSteps } from "./step-plan.ts";
import { traceSteps } from "./traces.ts";

const together = "SELECT holdfast.commit_group_1($1, $2, $3, $4, $5)";
const oneByOne = "SELECT * FROM holdfast.commit_each_1($1, $2, $3, $4, $5)";

/**
 * Makes the changes durable in one round trip and one transaction; each is of another workflow.
 * Nobody's fault fails another: if one of them is refused or came too late, nothing was written,
 * and they go again one by one, each with a savepoint.
 */
export async function persistGroup(
  database: Database,
  store: string,
  changes: readonly Change[],
): Promise<readonly CommitOutcome[]> {
  try {
    const sound = changes.every((change) => findFault(change) === null);
    const answers = sound ? await sendTogether(database, store, changes) : null;
    return (answers ?? (await sendOneByOne(database, store, changes))).map((answer) => {
      return { kind: "answered", answer };
    });
  } catch (error) {
    return changes.map(() => failedOutcome(database, error));
  }
}

/** Null = there is something wrong with one of them, and nothing was written. */
async function sendTogether(
  database: Database,
  store: string,
  changes: readonly Change[],
): Promise<readonly CommitAnswer[] | null> {
  const bytes = new ByteHeap();
  const group = encodeGroup(changes, bytes, planSteps(changes.map(rowSteps)));
  const values = [store, idsOf(changes), JSON.stringify(group), bytes.concat(), database.now()];
  try {
    await database.send("commit", together, values);
  } catch (error) {
    if (isFaultOfChange(error)) return null;
    throw error;
  }
  return changes.map((change) => ({ kind: "committed", head: headOf(change) }));
}

async function sendOneByOne(
  database: Database,
  store: string,
  changes: readonly Change[],
): Promise<readonly CommitAnswer[]> {
  const bytes = new ByteHeap();
  const each = changes.map((change) => encodeAlone(change, bytes));
  const values = [store, idsOf(changes), JSON.stringify(each), bytes.concat(), database.now()];
  const rows = await database.send("commit", oneByOne, values);
  invariant(rows.length === changes.length, "the database answers every change");
  return rows.map(decodeAnswer);
}

/** Nobody can say whether a commit happened whose answer did not come. */
function failedOutcome(database: Database, cause: unknown): CommitOutcome {
  const error = storeError(cause, { place: database.place, doing: "commit" });
  if (isSurelyNotWritten(cause)) return { kind: "failed", error };
  return { kind: "answered", answer: { kind: "unknown", cause: error } };
}

function decodeAnswer([answer]: PostgresRow): CommitAnswer {
  const [kind, ...given] = answer as readonly [string, ...(string | number)[]];
  switch (kind) {
    case "committed":
    case "conflict":
      return { kind, head: Number(given[0]) };
    case "lease_lost":
      return { kind };
    case "refused": {
      const [state, name, note] = given.map(String);
      invariant(state !== undefined && name !== undefined && note !== undefined, "a refusal");
      if (name === budgetMoved) return { kind: budgetMoved };
      return { kind, constraint: constraintOf(state, name), note };
    }
    default:
      throw new Error(`commit_each_1 answered ${kind}`);
  }
}

function rowSteps(change: Change): readonly RowStep[] {
  const { workflow, rows } = change;
  const own = rows.flatMap((row) => stepsOf(workflow, row));
  const aside = [...traceSteps(change), ...countedSteps(change), ...keptSteps(change)];
  return [...budgetSteps(change), ...own, ...aside];
}

function idsOf(changes: readonly Change[]): string {
  return JSON.stringify(changes.map(({ workflow }) => workflow));
}

function headOf({ expectedHead, records }: Change): number {
  return expectedHead + records.length;
}

/** Every row a step of its own, so that what is refused is named as it would be alone. */
function encodeAlone(change: Change, bytes: ByteHeap): object {
  const fault = findFault(change);
  if (fault !== null) return { heads: [encodeHead(change)], fault };
  const steps = rowSteps(change).flatMap((step) => planSteps([[step]]));
  return encodeGroup([change], bytes, steps);
}

function encodeGroup(
  changes: readonly Change[],
  bytes: ByteHeap,
  steps: readonly JsonStep[],
): object {
  const records = changes.flatMap(({ workflow, records: all }) =>
    all.map(({ seq, hash, bytes: own }) => ({ workflow, seq, hash, ...bytes.add(own) })),
  );
  const blobs = changes.flatMap(({ workflow, blobs: all, parts = [] }) => [
    ...all.map(({ hash, bytes: own }) => ({ workflow, hash, ...bytes.add(own) })),
    ...parts.map(({ hash, bytes: own }) => {
      return { workflow, hash: partName(hash), ...bytes.add(own) };
    }),
  ]);
  const hints = changes.flatMap(({ workflow, settledBelow }) =>
    settledBelow.map(({ topic, position }) => [workflow, topic, position]),
  );
  const heads = changes.map(encodeHead);
  return { heads, records, steps, hints, ...(blobs.length === 0 ? {} : { blobs }) };
}

function encodeHead(change: Change): object {
  const { workflow, epoch, expectedHead: expected, records, dueAt } = change;
  const last = records.at(-1);
  return {
    workflow,
    epoch,
    expected,
    head: headOf(change),
    hash: last?.hash ?? null,
    at: last?.at ?? null,
    due_at: dueAt,
    version: records.reduce((most, { version }) => Math.max(most, version), 0),
  };
}

/** Bytes travel as they are, once, and are named by where they begin (from 1) and their length. */
class ByteHeap {
  readonly #pieces: Uint8Array[] = [];
  #length = 0;

  add(bytes: Uint8Array): { readonly at: number; readonly size: number } {
    const at = this.#length + 1;
    this.#pieces.push(bytes);
    this.#length += bytes.length;
    return { at, size: bytes.length };
  }

  concat(): Uint8Array {
    return Buffer.concat(this.#pieces, this.#length);
  }
}
