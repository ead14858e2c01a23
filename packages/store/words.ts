import {
  attentionKinds,
  deliveryStatuses,
  type EvidenceRow,
  eventStatuses,
  type HandlerKind,
  type HandlerRow,
  itemStatuses,
  ledgerStates,
  type MachineInputKind,
  type MutationOutcome,
  type OnMutationFailed,
  proposalStatuses,
  type RetryFrom,
  type RunRow,
  runPhases,
  runStatuses,
  type TableName,
  workflowStatuses,
} from "@holdfast/core";

/** The compiler refuses a list in which a word of the type is missing or too many. */
function all<W extends string>(words: Readonly<Record<W, true>>): readonly string[] {
  return Object.keys(words);
}

const handlerKinds = all<HandlerKind>({ producer: true, consumer: true, job: true });

/** Every column that holds one of a few words, and the words; null is the column's own affair. */
const words = {
  workflows: { status: workflowStatuses },
  events: { status: eventStatuses },
  runs: {
    status: runStatuses,
    phase: runPhases,
    kind: handlerKinds,
    reason: all<NonNullable<RunRow["reason"]>>({
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
    }),
    retryFrom: all<RetryFrom>({ preparing: true, mutating: true, emitting: true, executing: true }),
    outcome: all<MutationOutcome>({ applied: true, none: true, skipped: true }),
  },
  deliveries: { status: deliveryStatuses },
  mutations: { state: ledgerStates },
  items: { status: itemStatuses },
  handlers: {
    kind: handlerKinds,
    onMutationFailed: all<OnMutationFailed>({ prepare: true, replay: true }),
    catchUp: all<HandlerRow["catchUp"]>({ once: true, skip: true }),
  },
  machine_inputs: {
    kind: all<MachineInputKind>({
      manifest: true,
      event: true,
      direct: true,
      cancel: true,
      restart: true,
      outcome: true,
      snapshot: true,
    }),
  },
  proposals: { status: proposalStatuses },
  attentions: { kind: attentionKinds },
  mutation_evidence: {
    kind: all<EvidenceRow["kind"]>({
      response: true,
      error: true,
      reconcile: true,
      unsent: true,
      recovery: true,
      late: true,
      answer: true,
    }),
    says: all<EvidenceRow["says"]>({ applied: true, failed: true, unknown: true, not_sent: true }),
  },
} as const satisfies {
  readonly [T in TableName]?: Readonly<Record<string, readonly string[]>>;
};

export type WordTable = keyof typeof words;

type WordColumn = readonly [table: WordTable, column: string, words: readonly string[]];

export const wordColumns: readonly WordColumn[] = Object.entries(words).flatMap(
  ([table, columns]) =>
    Object.entries<readonly string[]>(columns).map(
      ([column, ofColumn]): WordColumn => [table as WordTable, column, ofColumn],
    ),
);

/** By table: its columns of words. */
export const wordsOf: ReadonlyMap<TableName, readonly (readonly [string, readonly string[]])[]> =
  new Map(
    Object.entries(words).map(([table, columns]) => [table as WordTable, Object.entries(columns)]),
  );
