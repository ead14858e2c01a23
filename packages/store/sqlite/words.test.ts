import {
  attentionKinds,
  type EvidenceRow,
  eventStatuses,
  type HandlerKind,
  type HandlerRow,
  ledgerStates,
  type MutationOutcome,
  type OnMutationFailed,
  type RetryFrom,
  type RunRow,
  runPhases,
  runStatuses,
  type TableName,
  workflowStatuses,
} from "@holdfast/core";
import { expect, test } from "vitest";
import { Connection } from "./connection.ts";
import { migrate } from "./migrate.ts";

/** The compiler refuses a list in which a word of the type is missing or too many. */
function all<W extends string>(words: Readonly<Record<W, true>>): readonly string[] {
  return Object.keys(words);
}

const handlerKinds = all<HandlerKind>({ producer: true, consumer: true, job: true });

const pauseReasons = all<NonNullable<RunRow["reason"]>>({
  backoff: true,
  rate_limit: true,
  approval: true,
  auth: true,
  permission: true,
  precondition: true,
  budget: true,
  brake: true,
  uncertain: true,
  user: true,
});

const words: readonly (readonly [TableName, column: string, words: readonly string[]])[] = [
  ["workflows", "status", workflowStatuses],
  ["events", "status", eventStatuses],
  ["runs", "status", runStatuses],
  ["runs", "phase", runPhases],
  ["runs", "kind", handlerKinds],
  ["runs", "reason", pauseReasons],
  [
    "runs",
    "retry_from",
    all<RetryFrom>({ preparing: true, mutating: true, emitting: true, executing: true }),
  ],
  ["runs", "outcome", all<MutationOutcome>({ applied: true, none: true, skipped: true })],
  ["mutations", "state", ledgerStates],
  ["handlers", "kind", handlerKinds],
  ["handlers", "on_mutation_failed", all<OnMutationFailed>({ prepare: true, replay: true })],
  ["handlers", "catch_up", all<HandlerRow["catchUp"]>({ once: true, skip: true })],
  ["attentions", "kind", attentionKinds],
  [
    "mutation_evidence",
    "kind",
    all<EvidenceRow["kind"]>({
      response: true,
      error: true,
      reconcile: true,
      unsent: true,
      recovery: true,
      late: true,
      answer: true,
    }),
  ],
  [
    "mutation_evidence",
    "says",
    all<EvidenceRow["says"]>({ applied: true, failed: true, unknown: true, not_sent: true }),
  ],
];

/** The words a CHECK of this column lists, as the database itself has it. */
function wordsInCheck(connection: Connection, table: string, column: string): readonly string[] {
  const [sql] = connection.row("SELECT sql FROM sqlite_schema WHERE name = ?", table) ?? [];
  const check = new RegExp(`CHECK \\(\\s*(${column} = [^)]*)\\)`).exec(String(sql))?.[1];
  return [...(check ?? "").matchAll(/'([^']*)'/g)].map((match) => String(match[1]));
}

test.each(words)("%s.%s takes the words of the core and no others", (table, column, expected) => {
  const connection = new Connection(":memory:", "memory");
  migrate(connection, { newIncarnation: () => "store-1", lastIncarnation: null });
  expect(wordsInCheck(connection, table, column).toSorted()).toEqual(expected.toSorted());
  connection.close();
});
