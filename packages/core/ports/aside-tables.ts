/**
 * What a store keeps beside the journal and what is folded from it, and would not be the same
 * without. An export carries these rows as they are; everything else is made anew of the journal.
 */
type AsideShape = {
  readonly of: "workflow" | "store";
  /** In the order of the key, after the workflow id where rows have one. */
  readonly key: readonly string[];
  /** All of them, without the workflow id. */
  readonly columns: readonly string[];
  /** Of these, those that one database keeps as a boolean and the other as 0 or 1. */
  readonly flags: readonly string[];
};

function shape(
  of: AsideShape["of"],
  key: readonly string[],
  others: readonly string[],
  flags: readonly string[] = [],
): AsideShape {
  return { of, key, columns: [...key, ...others, ...flags], flags };
}

const readColumns = ["run_id", "connection", "operation", "at", "amount", "budget"];
const turnColumns = ["reason", "turn_key", "command_id", "actor", "kind", "body", "at"];

/** Every SQL adapter has these tables and columns by these names. */
export const asideShapes = {
  /** Those that were answered too: a repeated id has to be known. */
  commands: shape(
    "workflow",
    ["position"],
    ["command_id", "actor", "kind", "body", "at", "appended_at"],
  ),
  blobs: shape("workflow", ["hash"], ["size", "bytes", "touched_at"]),
  traces: shape("workflow", ["seq"], ["run_id", "at", "text"]),
  counted_reads: shape("workflow", ["read_id"], readColumns),
  kept_results: shape("workflow", ["chain", "call"], ["at", "result"]),
  budgets: shape("store", ["name"], ["version"]),
  store_brake: shape("store", ["only_row"], turnColumns, ["is_on"]),
} as const;

export type AsideTable = keyof typeof asideShapes;

export const asideTables = Object.keys(asideShapes) as readonly AsideTable[];
