import { changed, type RowChange } from "./row-change.ts";
import { keyOf, keyText, type TableName } from "./tables.ts";

/** A database judges each step of these, and what else holds at that step. */
const judgedColumns = ["status", "phase", "state", "open", "attempt"] as const;

type Insert = Extract<RowChange, { op: "insert" }>;
type Update = Extract<RowChange, { op: "update" }>;

/**
 * The same rows with fewer statements, which are most of what a change costs. A row that is made
 * in this change is inserted as it ends up; of an update only what no guard looks at moves to an
 * earlier one. Closing a run stays a step of its own, since its events must be settled by then,
 * and so does taking an event, which what it is taken for must precede.
 */
export function joinRows(changes: readonly RowChange[]): readonly RowChange[] {
  if (!hasTwoOfOneTable(changes)) return changes;
  const joined: RowChange[] = [];
  const last = new Map<string, number>();
  for (const change of changes) {
    if (change.op !== "insert" && change.op !== "update") {
      last.clear();
      joined.push(change);
      continue;
    }
    const row = `${change.table} ${rowKey(change)}`;
    const place = last.get(row);
    const earlier = place === undefined ? undefined : joined[place];
    if (place !== undefined && change.op === "update" && mayJoin(earlier, change)) {
      joined[place] = together(earlier, change);
      continue;
    }
    last.set(row, joined.push(change) - 1);
  }
  return joined;
}

/** Where there are not, nothing can be joined: so it is with most changes. */
function hasTwoOfOneTable(changes: readonly RowChange[]): boolean {
  const seen = new Set<TableName>();
  return changes.some((change) => {
    if (!("table" in change)) return false;
    const isSecond = seen.has(change.table);
    seen.add(change.table);
    return isSecond;
  });
}

function rowKey(change: Insert | Update): string {
  if (change.op === "update") return keyText(change.key);
  return keyOf(change.table as TableName, change.row as never);
}

function mayJoin(earlier: RowChange | undefined, { set }: Update): earlier is Insert | Update {
  if (earlier?.op === "insert") return !("open" in set) && !("reservedBy" in set);
  return earlier?.op === "update" && !judgedColumns.some((column) => column in set);
}

function together(earlier: Insert | Update, { set }: Update): RowChange {
  if (earlier.op === "insert") return { ...earlier, row: changed(earlier.row, set) } as RowChange;
  return { ...earlier, set: changed(earlier.set, set) } as RowChange;
}
