import {
  type Blob,
  type ChainPoint,
  type Change,
  type CommitAnswer,
  type Fact,
  type Instant,
  type RowChange,
  type SealedRecord,
  type Store,
  sealRecords,
} from "@holdfast/core";
import { expect } from "vitest";
import { startOfTime } from "./store-case.ts";

/** What a case says about a change; all else is as a right owner would have it. */
export type ChangeParts = {
  readonly rows?: readonly RowChange[];
  readonly facts?: readonly Fact[];
  readonly blobs?: readonly Blob[];
  readonly parts?: readonly Blob[];
  readonly dueAt?: Instant | null;
  readonly settledBelow?: Change["settledBelow"];
  readonly trace?: Change["trace"];
  readonly forgetTracesThrough?: Change["forgetTracesThrough"];
  readonly counted?: NonNullable<Change["counted"]>;
  readonly kept?: NonNullable<Change["kept"]>;
  readonly forgetKept?: NonNullable<Change["forgetKept"]>;
  readonly budgets?: Change["budgets"];
  readonly at?: Instant;
  readonly epoch?: number;
  /** The head decided on, when it is not the real one. */
  readonly onHead?: ChainPoint;
  /** Fact version written into the records' columns, as a newer program would. */
  readonly version?: number;
};

/** The store never reads a fact, so any will do where a case is not about the journal. */
export const someFact: Fact = { kind: "workflow_error_cleared", actor: "suite" };

/** The owner's side of one workflow: knows head and epoch and seals real records on them. */
export class Owner {
  readonly workflow: string;
  head: ChainPoint;
  epoch: number;
  readonly #store: Store;

  private constructor(store: Store, workflow: string, at: { head: ChainPoint; epoch: number }) {
    this.#store = store;
    this.workflow = workflow;
    this.head = at.head;
    this.epoch = at.epoch;
  }

  static async create(store: Store, workflow = "orders"): Promise<Owner> {
    await store.createWorkflow(workflow);
    return Owner.of(store, workflow);
  }

  static async of(store: Store, workflow: string): Promise<Owner> {
    const { head, epoch } = await store.load(workflow, []);
    return new Owner(store, workflow, { head: { seq: head.seq, hash: head.hash }, epoch });
  }

  change(parts: ChangeParts = {}): Change {
    const head = parts.onHead ?? this.head;
    const at = parts.at ?? startOfTime;
    const facts = parts.facts ?? [someFact];
    const sealed = sealRecords(
      this.workflow,
      head,
      facts.map((fact, index) => ({ seq: head.seq + 1 + index, at, fact })),
    );
    const { version } = parts;
    return {
      workflow: this.workflow,
      epoch: parts.epoch ?? this.epoch,
      expectedHead: head.seq,
      records: version === undefined ? sealed : sealed.map((record) => ({ ...record, version })),
      rows: parts.rows ?? [],
      blobs: parts.blobs ?? [],
      parts: parts.parts ?? [],
      dueAt: parts.dueAt ?? null,
      settledBelow: parts.settledBelow ?? [],
      trace: parts.trace ?? null,
      budgets: parts.budgets ?? [],
      forgetTracesThrough: parts.forgetTracesThrough ?? null,
      ...(parts.counted === undefined ? {} : { counted: parts.counted }),
      ...(parts.kept === undefined ? {} : { kept: parts.kept }),
      ...(parts.forgetKept === undefined ? {} : { forgetKept: parts.forgetKept }),
    };
  }

  /** One change, alone; the owner's head moves only when it landed. */
  async commit(parts: ChangeParts = {}): Promise<CommitAnswer> {
    const change = this.change(parts);
    const answer = only(await this.#store.commit([change]));
    if (answer.kind === "committed") this.advance(change);
    return answer;
  }

  /** For what a case needs but does not test: it has to land. */
  async persist(...rows: readonly RowChange[]): Promise<void> {
    await this.persistChange({ rows });
  }

  async persistChange(parts: ChangeParts): Promise<void> {
    const answer = await this.commit(parts);
    expect(answer, "what the case builds on has to land").toEqual({
      kind: "committed",
      head: this.head.seq,
    });
  }

  advance(change: Change): void {
    const last = change.records.at(-1);
    if (last !== undefined) this.head = chainPoint(last);
  }
}

function chainPoint(record: SealedRecord): ChainPoint {
  return { seq: record.seq, hash: record.hash };
}

export function only<T>(items: readonly T[]): T {
  expect(items).toHaveLength(1);
  return items[0] as T;
}
