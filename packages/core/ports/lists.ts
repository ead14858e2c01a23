import type { Rows, Seq } from "../view/rows.ts";
import type { TableName } from "../view/tables.ts";

/**
 * The lists that can be paged through without reading what is on other pages. Every store has an
 * index for each of them in the order given here; what a shape does not say cannot be asked for.
 */
type ListShape<T extends TableName> = {
  readonly table: T;
  /** A list for each value of these. */
  readonly of: readonly (keyof Rows[T] & string)[];
  /** Only the rows with one of these values; all of them must be met. */
  readonly only: readonly {
    readonly column: keyof Rows[T] & string;
    readonly values: readonly (string | number | boolean)[];
  }[];
  /** The highest first; together no two rows have them alike. Numbered: `r9` is before `r10`. */
  readonly order: readonly {
    readonly column: keyof Rows[T] & string;
    readonly numbered?: true;
  }[];
};

/** Of whichever list. */
export type AnyListShape = {
  readonly table: TableName;
  readonly of: readonly string[];
  readonly only: readonly {
    readonly column: string;
    readonly values: readonly (string | number | boolean)[];
  }[];
  readonly order: readonly { readonly column: string; readonly numbered?: true }[];
};

function shape<T extends TableName>(
  table: T,
  order: ListShape<T>["order"],
  { of = [], only = [] }: Partial<Pick<ListShape<T>, "of" | "only">> = {},
): ListShape<T> {
  return { table, of, only, order };
}

/** By the fact that made it. */
const byRunId = [{ column: "runId", numbered: true }] as const;
const byMutationId = [{ column: "mutationId", numbered: true }] as const;
const byPosition = [{ column: "position" }] as const;

/** The statuses of runs that somebody looks for; those that are not done are but one. */
const endedBadly = ["failed:logic", "failed:internal", "crashed", "aborted"] as const;
const notApplied = [
  "awaiting_approval",
  "ready",
  "in_flight",
  "needs_reconcile",
  "indeterminate",
  "failed",
] as const;
/** A job leaves few of them behind; those that are done are nearly all. */
const notDone = ["processing", "failed", "skipped", "needs_attention"] as const;

export const listShapes = {
  runs: shape("runs", byRunId),
  openRuns: shape("runs", byRunId, { only: [{ column: "open", values: [true] }] }),
  badRuns: shape("runs", byRunId, {
    of: ["status"],
    only: [{ column: "status", values: endedBadly }],
  }),
  inputs: shape("inputs", [{ column: "createdAt" }, { column: "inputId" }]),
  events: shape("events", byPosition, { of: ["topic"] }),
  unsettledEvents: shape("events", byPosition, {
    of: ["topic"],
    only: [{ column: "status", values: ["pending", "reserved"] }],
  }),
  /** Born consumed: nobody in the workflow works them off, they are there to be seen. */
  outputEvents: shape("events", byPosition, {
    only: [
      { column: "status", values: ["consumed"] },
      { column: "deliveryCount", values: [0] },
    ],
  }),
  mutations: shape("mutations", byMutationId),
  openMutations: shape("mutations", byMutationId, {
    of: ["state"],
    only: [{ column: "state", values: notApplied }],
  }),
  mutationsOfEvent: shape("mutation_inputs", [{ column: "attempt" }, { column: "consumer" }], {
    of: ["topic", "messageId"],
  }),
  /** The newest of the runs that have held it first. */
  holdersOfEvent: shape("reservations", byRunId, { of: ["topic", "messageId"] }),
  items: shape("items", byPosition),
  itemsNotDone: shape("items", byPosition, {
    of: ["status"],
    only: [{ column: "status", values: notDone }],
  }),
  evidenceOfMutation: shape("mutation_evidence", [{ column: "seq" }], { of: ["mutationId"] }),
  machineFrames: shape("machine_frames", [{ column: "firstSeq" }]),
  proposals: shape("proposals", [{ column: "number" }]),
  skippedFirings: shape("skipped_firings", [{ column: "dueAt" }, { column: "seq" }], {
    of: ["handler"],
  }),
  verdicts: shape("verdicts", [{ column: "position" }]),
  activations: shape("verdicts", [{ column: "position" }], {
    only: [{ column: "kind", values: ["activate_version"] }],
  }),
} as const;

export type ListName = keyof typeof listShapes;
export type ListedTable<L extends ListName> = (typeof listShapes)[L]["table"];

/** A value for each column of the order. */
export type ListPlace = readonly (string | number)[];

export type ListQuery<L extends ListName> = {
  readonly workflow: string;
  readonly list: L;
  /** A value for each column of `of`. */
  readonly of: readonly string[];
  /** Only what comes after this place; null = from the newest. */
  readonly after: ListPlace | null;
  /** Down to this place, which belongs to it; null = to the oldest. */
  readonly downTo: ListPlace | null;
  readonly limit: number;
};

/** The place of what the fact at this position made, in a list of numbered ids or positions. */
export function placeAt(list: ListName, seq: Seq): ListPlace {
  const [by] = listShapes[list].order;
  if (by === byRunId[0]) return [`r${seq}`];
  return by === byMutationId[0] ? [`m${seq}`] : [seq];
}
