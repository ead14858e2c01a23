import { isOfIntent } from "../intent/intent-run.ts";
import { genesisHash } from "../journal/record.ts";
import { type Policy, type PolicyOf, policyDefaults } from "../policy/policy.ts";
import { invariant } from "../ports/invariant.ts";
import type { Head, Loaded, Need, TableRow } from "../ports/store.ts";
import type { RowKey } from "./row-change.ts";
import type { Rows } from "./rows.ts";
import { keyOf, keyText, type TableName } from "./tables.ts";

/** Fully known once `base` is loaded: a missing row there is really missing. */
const coveredByBase = new Set<TableName>(["workflows", "topics", "handlers", "brakes"]);

/**
 * Written by decisions but never read by one. A partial view does not keep them, so it neither
 * grows with history nor has to load a row only to delete it.
 */
const neverDecidedOn = new Set<TableName>([
  "event_inputs",
  "mutation_evidence",
  "mutation_inputs",
  "verdicts",
  "skipped_firings",
  "machine_frames",
  "older_cells",
]);

const clearedByTrim = [
  "inputs",
  "handler_kv",
  "deliveries",
  "envelopes",
  "machine_inputs",
  "event_uses",
  "proposals",
] as const;

/** Rows by key; null = known to be absent. */
type Table<T extends TableName> = Map<string, Rows[T] | null>;

/**
 * The rows of one workflow that a decision can see. A partial view knows the difference between
 * "not there" and "not loaded": asking for what was not loaded is a bug and stops the process,
 * because deciding on a guess is how promises get broken.
 */
export class View {
  readonly workflow: string;
  readonly policy: Policy;
  /** Where a call is decided about; nearer to it than the workflow's. */
  readonly policyOf: PolicyOf;
  head: Head;
  /** Only tables that something was put into: most forks touch a few of many. */
  private readonly tables: { [T in TableName]?: Table<T> } = {};
  private readonly needs: Set<string>;
  private readonly base: View | null;
  /** True when every row is here: the fold of a whole journal. */
  readonly complete: boolean;

  private constructor(workflow: string, head: Head, complete: boolean, parts: ViewParts) {
    this.workflow = workflow;
    this.head = head;
    this.complete = complete;
    const { policy, policyOf = () => policy } = parts;
    this.policy = policy;
    this.policyOf = policyOf;
    this.base = parts.base;
    this.needs = parts.needs;
  }

  /** The state before the first record. */
  static empty(workflow: string, policy: Policy = policyDefaults): View {
    const head = { seq: 0, hash: genesisHash, at: 0 };
    return new View(workflow, head, true, { policy, base: null, needs: new Set() });
  }

  static fromLoaded(
    loaded: Loaded,
    policy: Policy = policyDefaults,
    policyOf: PolicyOf = () => policy,
  ): View {
    const parts = { policy, policyOf, base: null, needs: new Set<string>() };
    const view = new View(loaded.workflow, loaded.head, false, parts);
    view.add(loaded);
    return view;
  }

  /** A whole workflow from stored rows, as a checkpoint keeps them. */
  static restored(workflow: string, head: Head, rows: Iterable<TableRow>): View {
    const parts = { policy: policyDefaults, base: null, needs: new Set<string>() };
    const view = new View(workflow, head, true, parts);
    for (const { table, row } of rows) view.put(table, row);
    return view;
  }

  /** Takes in what a further load brought; it must be of the same head. */
  add(loaded: Loaded): void {
    invariant(loaded.head.seq === this.head.seq, "a view holds rows of one head only");
    for (const { table, row } of loaded.rows) this.put(table, row);
    for (const { table, key } of loaded.absent) this.own(table).set(keyText(key), null);
    for (const need of loaded.needs) this.needs.add(needKey(need));
  }

  /**
   * Lets go of all that `base` would not load, so that a view lives as long as its owner without
   * growing. What is needed again is loaded again.
   */
  trimToBase(): void {
    invariant(!this.complete && !this.base, "only an owner's own view is trimmed");
    this.needs.clear();
    this.needs.add("base");
    const { runs, reservations, events, mutations, items, attentions } = this.tables;
    let open: Rows["runs"] | undefined;
    const intentIds = new Set<string | null>();
    const callIds = new Set<string | null>();
    keepOnly(runs, (run) => {
      if (run.open) open = run;
      if (!isOpenIntent(run)) return run.open;
      intentIds.add(run.itemId);
      callIds.add(run.mutationId);
      return true;
    });
    keepOnly(reservations, (row) => row.runId === open?.runId);
    keepOnly(events, (event) => event.reservedBy !== null);
    keepOnly(mutations, (m) => isOf(m, open) || callIds.has(m.mutationId));
    keepOnly(items, ({ itemId }) => itemId === open?.itemId || intentIds.has(itemId));
    keepOnly(attentions, (row) => row.closedAt === null);
    // To clear a map that is empty would still make it anew.
    for (const table of clearedByTrim) if (this.tables[table]?.size) this.tables[table]?.clear();
  }

  /** Becomes what a fork of it has become, once that is durable. */
  become(fork: View, head: Head): void {
    invariant(fork.base === this, "a view only becomes what was forked from it");
    for (const name of Object.keys(fork.tables) as TableName[]) {
      const changed = fork.tables[name];
      if (changed === undefined) continue;
      const own: Map<string, unknown> = this.own(name);
      for (const [key, row] of changed) own.set(key, row);
    }
    this.head = head;
  }

  /** A view over this one that can be written to without changing it. */
  fork(): View {
    const { policy, policyOf, needs } = this;
    const parts = { policy, policyOf, base: this, needs };
    return new View(this.workflow, this.head, this.complete, parts);
  }

  /** A row that is here, or known to be absent, need not be loaded again, whatever brought it. */
  has(need: Need): boolean {
    if (this.complete) return true;
    if (need.kind === "row" && this.lookup(need.table, keyText(need.key)) !== undefined)
      return true;
    return this.needs.has(needKey(need));
  }

  find<T extends TableName>(table: T, ...key: RowKey): Rows[T] | null {
    const text = keyText(key);
    const row = this.lookup(table, text);
    if (row !== undefined) return row;
    const known = this.complete || (coveredByBase.has(table) && this.has({ kind: "base" }));
    invariant(known, () => `${table} ${JSON.stringify(key)} was not loaded for this decision`);
    return null;
  }

  load<T extends TableName>(table: T, ...key: RowKey): Rows[T] {
    const row = this.find(table, ...key);
    invariant(row !== null, () => `${table} ${JSON.stringify(key)} must exist`);
    return row;
  }

  /** Every visible row of a table; the caller has checked that the right need is loaded. */
  rows<T extends TableName>(table: T): readonly Rows[T][] {
    const found: Rows[T][] = [];
    this.gather(table, found, []);
    return found;
  }

  /** Those that the views above have not replaced. Asked often: hence no generators. */
  private gather<T extends TableName>(table: T, into: Rows[T][], above: readonly Table<T>[]): void {
    const own: Table<T> | undefined = this.tables[table];
    this.base?.gather(table, into, own === undefined ? above : [...above, own]);
    if (own === undefined) return;
    for (const [key, row] of own) {
      if (row !== null && !above.some((other) => other.has(key))) into.push(row);
    }
  }

  put<T extends TableName>(table: T, row: Rows[T]): void {
    if (!this.keeps(table)) return;
    this.own(table).set(keyOf(table, row), row);
  }

  remove(table: TableName, key: RowKey): void {
    if (!this.keeps(table)) return;
    const text = keyText(key);
    if (this.base || !this.complete) this.own(table).set(text, null);
    else this.own(table).delete(text);
  }

  keeps(table: TableName): boolean {
    return this.complete || !neverDecidedOn.has(table);
  }

  private lookup<T extends TableName>(table: T, key: string): Rows[T] | null | undefined {
    const own: Table<T> | undefined = this.tables[table];
    const row = own?.get(key);
    return row === undefined ? this.base?.lookup(table, key) : row;
  }

  private own<T extends TableName>(table: T): Table<T> {
    const tables: { [K in TableName]?: Table<T> } = this.tables as never;
    tables[table] ??= new Map();
    return tables[table];
  }
}

function isOpenIntent(run: Rows["runs"]): boolean {
  return isOfIntent(run) && run.endedAt === null;
}

/** Of a job only the last call: the others are settled, and may be many. */
function isOf(mutation: Rows["mutations"], run: Rows["runs"] | undefined): boolean {
  if (run === undefined) return false;
  if (mutation.mutationId === run.mutationId) return true;
  return run.kind !== "job" && mutation.runId === run.runId;
}

function keepOnly<R>(table: Map<string, R | null> | undefined, keep: (row: R) => boolean): void {
  if (table === undefined) return;
  for (const [key, row] of table) if (row === null || !keep(row)) table.delete(key);
}

type ViewParts = {
  policy: Policy;
  policyOf?: PolicyOf;
  base: View | null;
  needs: Set<string>;
};

function needKey(need: Need): string {
  switch (need.kind) {
    case "row":
      return `row ${need.table} ${keyText(need.key)}`;
    case "input":
      return `input ${need.inputId}`;
    case "run":
      return `run ${need.runId}`;
    case "waiting_deliveries":
      return `waiting_deliveries ${need.handler}`;
    case "mutation_key":
      return `mutation_key ${need.mutationKey}`;
    case "uses":
      return `uses ${keyText([need.topic, need.messageId])}`;
    case "item":
      return `item ${need.everyAttempt === true} ${need.itemId}`;
    case "base":
    case "oldest_pending":
    case "machine_inputs":
      return need.kind;
  }
}
