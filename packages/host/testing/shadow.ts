import { isDeepStrictEqual } from "node:util";
import {
  apply,
  type ChainPoint,
  genesisHash,
  keyOf,
  openRecord,
  type Rows,
  type Seq,
  type Store,
  type TableName,
  tableNames,
  View,
} from "@holdfast/core";
import { brokenInvariants } from "../verify/invariants.ts";

/**
 * Folds a workflow's journal on its own, as far as it has grown, and compares it with the tables
 * after every step. It knows nothing of the owner.
 */
export class Shadow {
  readonly view: View;
  private readonly store: Store;
  private chain: ChainPoint = { seq: 0, hash: genesisHash };

  constructor(store: Store, workflow: string) {
    this.store = store;
    this.view = View.empty(workflow);
  }

  get head(): Seq {
    return this.chain.seq;
  }

  async followAndCompare(): Promise<void> {
    const { workflow } = this.view;
    for (const entry of await this.store.readJournal(workflow, this.chain.seq, 100_000)) {
      const opened = openRecord(workflow, this.chain, entry);
      if (!opened.ok) throw new Error(`${workflow} at ${entry.seq}: ${opened.note}`);
      apply(this.view, opened.record);
      this.chain = { seq: entry.seq, hash: entry.hash };
    }
    const { head } = await this.store.load(workflow, []);
    if (head.seq !== this.chain.seq || head.hash !== this.chain.hash) {
      throw new Error(`${workflow}: head is ${head.seq}, the journal ends at ${this.chain.seq}`);
    }
    await Promise.all(tableNames.map((table) => this.compare(table)));
    const [broken] = brokenInvariants(this.view);
    if (broken) throw new Error(`${workflow}: ${broken.note}`);
  }

  private async compare<T extends TableName>(table: T): Promise<void> {
    const folded = new Map<string, Rows[T]>();
    for (const row of this.view.rows(table)) folded.set(keyOf(table, row), row);
    for await (const row of this.store.scan(this.view.workflow, table)) {
      const key = keyOf(table, row);
      if (!isDeepStrictEqual(row, folded.get(key))) {
        const both = JSON.stringify({ table: row, journal: folded.get(key) ?? null });
        throw new Error(`${this.view.workflow} ${table} ${key}: ${both}`);
      }
      folded.delete(key);
    }
    const [missing] = folded.keys();
    if (missing !== undefined) throw new Error(`${table} ${missing} is missing`);
  }
}
