import { keyText, type Rows, type TableName } from "@holdfast/core";
import { PositionIndex } from "./position-index.ts";

/** Which rows of a table carry a value: what a database would find by an index. */
type IndexRule<T extends TableName> = {
  readonly table: T;
  /** null = the row is not in the index. */
  readonly indexedValue: (row: Rows[T]) => string | null;
};

function rule<T extends TableName>(
  table: T,
  indexedValue: (row: Rows[T]) => string | null,
): IndexRule<T> {
  return { table, indexedValue };
}

/** Of an item, unsettled and not given up on. */
function isOpenOfItem({ itemId, state, resolution }: Rows["mutations"]): boolean {
  if (itemId === null || state === "applied" || state === "failed") return false;
  return resolution?.kind !== "skip";
}

/** The one value of an index that only says whether a row is in it. */
export const inIndex = "";

const rules = {
  openRuns: rule("runs", (row) => (row.open ? inIndex : null)),
  openIntents: rule("runs", (row) =>
    row.trigger === "intent" && row.endedAt === null ? inIndex : null,
  ),
  endedRuns: rule("runs", (row) => (row.endedAt !== null && row.activeMs > 0 ? inIndex : null)),
  runsByRetryOf: rule("runs", (row) => row.retryOf),
  reservationsByRun: rule("reservations", (row) => row.runId),
  eventsByHolder: rule("events", (row) => row.reservedBy),
  eventsByTopic: rule("events", (row) => row.topic),
  eventsByInput: rule("event_inputs", (row) => row.inputId),
  usesByEvent: rule("event_uses", (row) => keyText([row.topic, row.messageId])),
  mutationsByRun: rule("mutations", (row) => row.runId),
  mutationsByKey: rule("mutations", (row) => row.mutationKey),
  liveMutationsByRun: rule("mutations", (row) => (row.state === "failed" ? null : row.runId)),
  liveMutationsByKey: rule("mutations", (row) => (row.state === "failed" ? null : row.mutationKey)),
  mutationsByItem: rule("mutations", (row) =>
    row.itemId === null ? null : keyText([row.itemId, row.attempt]),
  ),
  openMutationsByRun: rule("mutations", (row) => (isOpenOfItem(row) ? row.runId : null)),
  openMutationsByItem: rule("mutations", (row) => (isOpenOfItem(row) ? row.itemId : null)),
  mutationInputsByEvent: rule("mutation_inputs", (row) =>
    keyText([row.topic, row.messageId, row.attempt]),
  ),
  mutationsByOperation: rule("mutations", (row) =>
    row.state === "failed" ? null : keyText([row.connection, row.operation]),
  ),
  openAttentions: rule("attentions", (row) => (row.closedAt === null ? inIndex : null)),
  waitingDeliveries: rule("deliveries", (row) => (row.status === "waiting" ? row.handler : null)),
  kvByHandler: rule("handler_kv", (row) => row.handler),
} as const;

export type IndexName = keyof typeof rules;

const rulesByTable = new Map<TableName, [IndexName, IndexRule<TableName>][]>();
for (const [name, entry] of Object.entries(rules)) {
  const ofTable = rulesByTable.get(entry.table) ?? [];
  ofTable.push([name as IndexName, entry as unknown as IndexRule<TableName>]);
  rulesByTable.set(entry.table, ofTable);
}

export type Indexes = {
  readonly keys: Readonly<Record<IndexName, Map<string, Set<string>>>>;
  /** Per topic; apart, because peek wants the first pending one and the lowest of both. */
  readonly pending: Map<string, PositionIndex>;
  readonly reserved: Map<string, PositionIndex>;
};

export function emptyIndexes(): Indexes {
  const keys = Object.fromEntries(
    Object.keys(rules).map((name) => [name, new Map<string, Set<string>>()]),
  );
  return { keys: keys as Indexes["keys"], pending: new Map(), reserved: new Map() };
}

const none: ReadonlySet<string> = new Set();

/** Keys of the rows with that value. */
export function keysOf(indexes: Indexes, name: IndexName, value: string): ReadonlySet<string> {
  return indexes.keys[name].get(value) ?? none;
}

/** null stands for a row that is not there: before an insert, after a delete. */
export function reindex<T extends TableName>(
  indexes: Indexes,
  table: T,
  row: { readonly key: string; readonly before: Rows[T] | null; readonly after: Rows[T] | null },
): void {
  for (const [name, entry] of rulesByTable.get(table) ?? []) {
    const before = row.before === null ? null : entry.indexedValue(row.before);
    const after = row.after === null ? null : entry.indexedValue(row.after);
    if (before === after) continue;
    const index = indexes.keys[name];
    if (before !== null) removeKey(index, before, row.key);
    if (after !== null) addKey(index, after, row.key);
  }
  if (table === "events") {
    replaceEvent(indexes, row.before as Rows["events"] | null, row.after as Rows["events"] | null);
  }
}

function addKey(index: Map<string, Set<string>>, value: string, key: string): void {
  const keys = index.get(value);
  if (keys === undefined) index.set(value, new Set([key]));
  else keys.add(key);
}

function removeKey(index: Map<string, Set<string>>, value: string, key: string): void {
  const keys = index.get(value);
  keys?.delete(key);
  if (keys?.size === 0) index.delete(value);
}

function replaceEvent(
  indexes: Indexes,
  before: Rows["events"] | null,
  after: Rows["events"] | null,
): void {
  if (before?.status === after?.status && before?.position === after?.position) return;
  if (before !== null) positionsOf(indexes, before)?.remove(before);
  if (after !== null) positionsOf(indexes, after)?.add(placeOf(after));
}

/** Without the rest of the row, which changes while the event stays in its place. */
function placeOf({ position, messageId }: Rows["events"]) {
  return { position, messageId };
}

function positionsOf(indexes: Indexes, row: Rows["events"]): PositionIndex | null {
  if (row.status !== "pending" && row.status !== "reserved") return null;
  const byTopic = indexes[row.status];
  let positions = byTopic.get(row.topic);
  if (positions === undefined) {
    positions = new PositionIndex();
    byTopic.set(row.topic, positions);
  }
  return positions;
}
