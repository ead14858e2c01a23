import type { CanonicalValue } from "@holdfast/core";
import { cellIdOf, hex } from "@holdfast/core/machine";
import type { RecordFields } from "./show-records.ts";
import { Troubles } from "./troubles.ts";

/** A record of the trace, before it is shown. */
export type Traced = { readonly seq: number; readonly fields: RecordFields };

export type CellName = { readonly machine: string; readonly key: Uint8Array | null };

/** An intent of the trace without an outcome, as far as the journal says. */
export type FollowedIntent = {
  readonly seq: number;
  readonly effect: string;
  readonly cell: CellName;
};

type Reached = {
  readonly name: CellName;
  /** What waits for it, or it waits for, of this trace. */
  readonly mails: Map<number, { readonly isAnswer: boolean }>;
  readonly intents: Set<string>;
  /** Number of the record it stopped on; null = it goes on. */
  stoppedOn: number | null;
  isDone: boolean;
};

export type FollowLimits = {
  /** The newest of its records that are held. */
  readonly window: number;
  /** Cells that wait for nothing, the last it came to. */
  readonly idleCellsMax: number;
  /** Intents that have an outcome, the last of them: an answer may come once more, or too late. */
  readonly endedMax: number;
};

/**
 * What came of one record, of the journal from that record on. All that is held is the window,
 * what is under way and a little of what ended: a trace that goes on for ever can be followed.
 */
export class FollowedTrace {
  readonly root: number;
  readonly troubles = new Troubles();
  count = 0;
  last: number;
  isStepped = false;
  /** A cell that is not held any more went on without an end. */
  isLeftUndone = false;
  readonly #limits: FollowLimits;
  readonly #window: Traced[] = [];
  readonly #intents = new Map<string, FollowedIntent>();
  readonly #ended = new Set<string>();
  readonly #awaited = new Map<number, Set<string>>();
  readonly #busy = new Map<string, Reached>();
  readonly #idle = new Map<string, Reached>();
  /** Its records of the turn at hand: what follows from them comes right behind. */
  readonly #turn = new Set<number>();

  constructor(root: number, limits: FollowLimits) {
    this.root = root;
    this.last = root;
    this.#limits = limits;
  }

  get window(): readonly Traced[] {
    return this.#window.slice(-this.#limits.window);
  }

  /** By their ids, oldest first. */
  get intents(): ReadonlyMap<string, FollowedIntent> {
    return this.#intents;
  }

  /** Cells that have still to be stepped with what a record brought, by its number. */
  get awaited(): ReadonlyMap<number, ReadonlySet<string>> {
    return this.#awaited;
  }

  /** Those that wait first, then the last of those that wait for nothing. */
  get cells(): readonly CellName[] {
    return [...this.#busy.values(), ...this.#idle.values()].map(({ name }) => name);
  }

  /** How many things are held: for who wants to know that it does not grow with the journal. */
  get heldCount(): number {
    const held = [this.#intents, this.#ended, this.#awaited, this.#turn, this.#busy, this.#idle];
    return held.reduce((sum, { size }) => sum + size, this.#window.length + this.troubles.count);
  }

  /** Every record from the root on, in order; those of others too, since they end things of it. */
  add(seq: number, fields: RecordFields): void {
    const isOfIt = this.#isOfIt(seq, fields);
    if (isTurn(fields)) this.#turn.clear();
    if (isOfIt) this.#take(seq, fields);
    this.#follow(seq, fields, isOfIt);
  }

  #isOfIt(seq: number, { cause, intent_hash: intent }: RecordFields): boolean {
    if (seq === this.root) return true;
    if (typeof cause === "number") return this.#awaited.has(cause) || this.#turn.has(cause);
    if (!(intent instanceof Uint8Array)) return false;
    const id = hex(intent);
    return this.#intents.has(id) || this.#ended.has(id);
  }

  #take(seq: number, fields: RecordFields): void {
    this.count++;
    this.last = seq;
    this.#turn.add(seq);
    this.isStepped ||= fields["kind"] === "step";
    const { window } = this.#limits;
    this.#window.push({ seq, fields });
    if (this.#window.length >= 2 * window) this.#window.splice(0, this.#window.length - window);
    const intent = fields["intent_hash"];
    const known = intent instanceof Uint8Array ? this.#intents.get(hex(intent)) : undefined;
    this.troubles.add(seq, fields, known?.effect ?? null);
    for (const name of cellsOf(fields)) this.#reach(name);
  }

  #follow(seq: number, fields: RecordFields, isOfIt: boolean): void {
    switch (fields["kind"]) {
      case "domain_event":
        if (isOfIt) for (const name of targetsOf(fields)) this.#await(seq, name, false);
        return;
      case "effect_intent":
        if (isOfIt) this.#ask(seq, fields);
        return;
      case "effect_receipt":
        if (isOfIt && fields["accepted"] === true) this.#answer(seq, fields);
        return;
      case "stream_frame":
        if (isOfIt) this.#await(seq, nameOf(fields["identity"] ?? null), true);
        return;
      case "step":
        this.#step(fields);
        return;
      case "step_killed":
        this.#stop(fields);
        return;
      case "restart":
        this.#restart(fields);
        return;
      case "custom":
        this.#custom(seq, fields, isOfIt);
    }
  }

  #custom(seq: number, fields: RecordFields, isOfIt: boolean): void {
    switch (fields["name"]) {
      case "workflow.over_capacity":
        if (isOfIt) this.#answer(seq, fields);
        return;
      case "workflow.stream_drop":
        this.#met(fields, fields["cause"]);
        return;
      case "workflow.receipt_fault":
        this.#fault(seq, fields, isOfIt);
        return;
      case "workflow.step_fault":
        this.#stop(fields);
    }
  }

  #ask(seq: number, fields: RecordFields): void {
    const cell = nameOf(fields);
    const id = hex(fields["intent_hash"] as Uint8Array);
    this.#intents.set(id, { seq, effect: String(fields["effect"]), cell });
    this.#hold(cell).intents.add(id);
  }

  /** The record with an outcome is the one that its cell is stepped with. */
  #answer(seq: number, fields: RecordFields): void {
    this.#await(seq, nameOf(fields), true);
    this.#end(hex(fields["intent_hash"] as Uint8Array));
  }

  #end(id: string): void {
    const intent = this.#intents.get(id);
    if (intent === undefined) return;
    this.#intents.delete(id);
    this.#ended.add(id);
    if (this.#ended.size > this.#limits.endedMax) deleteFirst(this.#ended);
    const cellId = idOf(intent.cell);
    this.#busy.get(cellId)?.intents.delete(id);
    this.#settle(cellId);
  }

  #endAll(hashes: CanonicalValue | undefined): void {
    if (!Array.isArray(hashes)) return;
    for (const hash of hashes) if (hash instanceof Uint8Array) this.#end(hex(hash));
  }

  #await(seq: number, name: CellName, isAnswer: boolean): void {
    const cells = this.#awaited.get(seq) ?? new Set();
    this.#awaited.set(seq, cells.add(idOf(name)));
    this.#hold(name).mails.set(seq, { isAnswer });
  }

  /** The cell has had it, or never will. */
  #met(fields: RecordFields, seq: CanonicalValue | undefined): void {
    if (typeof seq === "number" && this.#awaited.has(seq)) this.#forget(idOf(nameOf(fields)), seq);
  }

  #forget(cellId: string, seq: number): void {
    const cells = this.#awaited.get(seq);
    cells?.delete(cellId);
    if (cells?.size === 0) this.#awaited.delete(seq);
    this.#busy.get(cellId)?.mails.delete(seq);
    this.#settle(cellId);
  }

  #step(fields: RecordFields): void {
    this.#met(fields, fields["cause"]);
    this.#endAll(fields["abandoned"]);
    if (fields["state_hash"] !== null && fields["done"] !== true) return;
    const cellId = idOf(nameOf(fields));
    const cell = this.#busy.get(cellId) ?? this.#idle.get(cellId);
    if (cell === undefined) return;
    cell.isDone = true;
    // Answers that wait belong to the life that ends; events begin the next one.
    if (fields["state_hash"] !== null) return;
    for (const [seq, { isAnswer }] of [...cell.mails]) if (isAnswer) this.#forget(cellId, seq);
  }

  /** An answer that its cell has no place for. */
  #fault(seq: number, fields: RecordFields, isOfIt: boolean): void {
    if (fields["workflow_failed"] === true && isOfIt) this.#hold(nameOf(fields)).stoppedOn ??= seq;
    if (fields["delivered_rejected"] !== true) this.#met(fields, fields["cause"]);
    this.#endAll(fields["dropped_pending_receipts"]);
  }

  /** What it stopped on stays where it is until somebody decides. */
  #stop(fields: RecordFields): void {
    const { cause } = fields;
    if (typeof cause !== "number" || !this.#awaited.has(cause)) return;
    const cell = this.#busy.get(idOf(nameOf(fields)));
    if (cell !== undefined) cell.stoppedOn = cause;
  }

  #restart(fields: RecordFields): void {
    if (this.#busy.size === 0) return;
    const cellId = idOf(nameOf(fields));
    const cell = this.#busy.get(cellId);
    if (cell === undefined || cell.stoppedOn === null) return;
    const { stoppedOn } = cell;
    cell.stoppedOn = null;
    if (fields["poison"] === "drop") this.#forget(cellId, stoppedOn);
    this.#settle(cellId);
  }

  #reach(name: CellName): Reached {
    const id = idOf(name);
    const busy = this.#busy.get(id);
    if (busy !== undefined) return busy;
    const nothing = { mails: new Map(), intents: new Set<string>(), stoppedOn: null };
    const cell = this.#idle.get(id) ?? { name, ...nothing, isDone: false };
    this.#idle.delete(id);
    this.#idle.set(id, cell);
    this.#leaveOut();
    return cell;
  }

  #hold(name: CellName): Reached {
    const cell = this.#reach(name);
    const id = idOf(name);
    this.#idle.delete(id);
    this.#busy.set(id, cell);
    return cell;
  }

  /** One that nothing waits for any more, and that waits for nothing, may be left out. */
  #settle(cellId: string): void {
    const cell = this.#busy.get(cellId);
    if (cell === undefined || cell.stoppedOn !== null) return;
    if (cell.mails.size + cell.intents.size > 0) return;
    this.#busy.delete(cellId);
    this.#idle.set(cellId, cell);
    this.#leaveOut();
  }

  #leaveOut(): void {
    const [oldest] = this.#idle.values();
    if (this.#idle.size <= this.#limits.idleCellsMax || oldest === undefined) return;
    this.#idle.delete(idOf(oldest.name));
    this.isLeftUndone ||= !oldest.isDone;
  }
}

/** Whether nothing that follows came of what was recorded before in the same turn. */
function isTurn({ kind, name, outside }: RecordFields): boolean {
  return outside === true || kind === "step" || name === "workflow.step_fault";
}

function idOf({ machine, key }: CellName): string {
  return cellIdOf(machine, key);
}

function nameOf(given: CanonicalValue): CellName {
  const { machine, key = null } = given as { machine?: unknown; key?: Uint8Array | null };
  return { machine: String(machine), key };
}

function targetsOf({ targets }: RecordFields): readonly CellName[] {
  return Array.isArray(targets) ? targets.map(nameOf) : [];
}

/** Whom a record is about. */
function cellsOf(fields: RecordFields): readonly CellName[] {
  if (fields["kind"] === "domain_event") return targetsOf(fields);
  return typeof fields["machine"] === "string" ? [nameOf(fields)] : [];
}

function deleteFirst(set: Set<string>): void {
  const [first] = set;
  if (first !== undefined) set.delete(first);
}
