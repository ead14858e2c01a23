import { type CanonicalRecord, encodeCanonical, encodeCanonicalAs } from "../canonical/index.ts";
import { invariant } from "../ports/invariant.ts";
import { addIntent, type Cell, cellIdOf, dropIntent, isIdle, type Mail, newCell } from "./cell.ts";
import type { Frame } from "./frame.ts";
import type { OpenIntent } from "./intent.ts";
import { type MachineLimits, machineLimits } from "./limits.ts";
import type { MachineSet } from "./machine-set.ts";
import type { OlderCells } from "./older-cells.ts";
import type { ReceiptKeys } from "./signature.ts";
import { outsideStamp, type Sample, type Stamp } from "./stamp.ts";
import type { IndexRoot } from "./state/index-node.ts";
import { KnownNodes } from "./state/known-nodes.ts";
import { NextSnapshot } from "./state/next-snapshot.ts";

/** What the shell may do once the records up to `seq` are durable, and never before. */
export type Publication =
  | { readonly kind: "start"; readonly seq: number; readonly intent: OpenIntent }
  | { readonly kind: "cancel"; readonly seq: number; readonly intentHash: Uint8Array }
  | { readonly kind: "withdraw"; readonly seq: number; readonly intentHash: Uint8Array }
  | {
      readonly kind: "event";
      readonly seq: number;
      readonly event: PublishedEvent;
      /** It may have been said before, in a time that a restored store has forgotten. */
      readonly older: boolean;
      /** Record from outside that it came of; null = it is not known. */
      readonly root: number | null;
    }
  | {
      readonly kind: "stopped";
      readonly seq: number;
      readonly cell: CellName;
      readonly why: string;
      /** Of what it stopped on. */
      readonly root: number | null;
    }
  | { readonly kind: "restarted"; readonly seq: number; readonly cell: CellName; by: Restarter };

/** Who let a cell go on, and what becomes of the event it stopped on. */
export type Restarter = { readonly actor: string; readonly poison: "redeliver" | "drop" };

/** What a step said to a topic, for consumers and for people. */
export type PublishedEvent = {
  readonly topic: string;
  readonly messageId: string | null; // null = made from the sequence number
  readonly value: Uint8Array;
};

/** Said for people, beside the record with this number; nothing is decided from it. */
export type Note = { readonly seq: number; readonly code: string; readonly text: string };

export type KernelOptions = {
  readonly set: MachineSet;
  readonly keys: ReceiptKeys;
  readonly limits?: Partial<MachineLimits>;
};

export type SettledIntent = { readonly machine: string; readonly key: Uint8Array | null };

/** Which cell, where the cell itself may be gone. */
export type CellName = { readonly machine: string; readonly key: Uint8Array | null };

/** A cell that changed, with what was found out about it on the way; null = nobody has yet. */
export type DirtyCell = CellName & {
  readonly stateHash: Uint8Array | null;
  place: Uint8Array | null; // in its machine's index
};

type Heading = {
  readonly kind: string;
  readonly outside: boolean;
  readonly cause: number | null; // record that led to this one; null = the outside did
};

const nothing: readonly never[] = [];

/**
 * All that the machines of one workflow are between two inputs. It changes only by `admit` and by
 * turns, and every change of it is in the records it writes.
 */
export class Kernel {
  set: MachineSet;
  readonly keys: ReceiptKeys;
  readonly limits: MachineLimits;
  /** Those that are not idle, and others that are at hand; the one used longest ago first. */
  readonly cells = new Map<string, Cell>();
  /** What the last snapshot has of the cells of each machine. */
  readonly roots = new Map<string, IndexRoot>();
  /** What was read of them, for who looks up the next cell. */
  readonly nodes = new KnownNodes();
  /** Cells that are no longer what the index has of them; one that is not there has ended. */
  readonly dirty = new Map<string, DirtyCell>();
  /** What of that was kept already, for the snapshot that will have it. */
  next = new NextSnapshot();
  /** Cells that something came for since the last snapshot, and those that were not idle then. */
  readonly stirred = new Set<string>();
  /** Of the states that are at hand, and of those that were written since the last snapshot. */
  residentBytes = 0;
  dirtyBytes = 0;
  /** Cells that have something to do, in the order of their turns. */
  readonly ring = new Set<string>();
  readonly intents = new Map<string, OpenIntent>();
  /**
   * Intents that ended since the last snapshot; those before are in its index. So a receipt is
   * never taken for a stranger's.
   */
  readonly settled = new Map<string, SettledIntent>();
  settledRoot: IndexRoot = null;
  readonly openPerEffect = new Map<string, number>();
  /** Null = the store was never restored, or nobody does what is ordered here. */
  older: OlderCells | null = null;
  seq = 0;
  logicalNowNs = 0n;
  /**
   * What the journal has where a record is written, while it is run again: one that is the same to
   * the byte is that one itself. Null = it is written for the first time.
   */
  standing: { readonly at: (seq: number) => Uint8Array | null } | null = null;
  /** Of the records since the last frame. */
  recordBytes = 0;
  private records: Uint8Array[] = [];
  private publications: Publication[] = [];
  private noteList: Note[] = [];
  private kept: Uint8Array[] = [];

  constructor({ set, keys, limits = {} }: KernelOptions) {
    this.set = set;
    this.keys = keys;
    this.limits = { ...machineLimits, ...limits };
  }

  write({ kind, outside, cause }: Heading, fields: CanonicalRecord): number {
    const seq = this.seq + 1;
    const record = { seq, kind, outside, cause, ...fields };
    const stands = this.standing?.at(seq) ?? null;
    const bytes = stands ? encodeCanonicalAs(record, stands) : encodeCanonical(record);
    this.records.push(bytes);
    this.recordBytes += bytes.length;
    this.seq = seq;
    return seq;
  }

  /** A record that says what became of another, under the name people look for. */
  writeCustom(name: string, cause: number, fields: CanonicalRecord): number {
    return this.write({ kind: "custom", outside: false, cause }, { name, ...fields });
  }

  note(seq: number, code: string, text: string): void {
    this.noteList.push({ seq, code, text });
  }

  /** To be durable with the records that name it by its hash. */
  keep(bytes: Uint8Array): void {
    this.kept.push(bytes);
  }

  takeKept(): readonly Uint8Array[] {
    const { kept } = this;
    if (kept.length === 0) return nothing;
    this.kept = [];
    return kept;
  }

  publish(publication: Publication): void {
    this.publications.push(publication);
  }

  /** For the record that is written next. */
  stampNext(sample: Sample): Stamp {
    const { logicalNowNs, set } = this;
    const moment = { logicalNowNs, height: this.seq + 1, manifestHash: set.manifestHash };
    const stamp = outsideStamp(sample, moment);
    this.logicalNowNs = stamp.logicalNowNs;
    return stamp;
  }

  cellFor(machine: string, key: Uint8Array | null, id = cellIdOf(machine, key)): Cell {
    const known = this.cells.get(id);
    if (known !== undefined) return known;
    const cell = newCell(machine, key, id);
    // One that changed since and is not here has ended.
    cell.isAway = !this.dirty.has(id) && (this.roots.get(machine) ?? null) !== null;
    this.cells.set(id, cell);
    return cell;
  }

  deliver(cell: Cell, mail: Mail): void {
    this.stirred.add(cell.id);
    cell.mailbox.add(mail);
    this.makeReady(cell);
  }

  makeReady(cell: Cell): void {
    if (cell.failed === null && cell.mailbox.count > 0) this.ring.add(cell.id);
  }

  openIntent(intent: OpenIntent, cell: Cell): void {
    this.intents.set(intent.id, intent);
    addIntent(cell, intent.id);
    this.openPerEffect.set(intent.effect, this.openCountOf(intent.effect) + 1);
  }

  openCountOf(effect: string): number {
    return this.openPerEffect.get(effect) ?? 0;
  }

  settle(intent: OpenIntent): void {
    this.intents.delete(intent.id);
    this.settled.set(intent.id, { machine: intent.machine, key: intent.key });
    const count = this.openCountOf(intent.effect) - 1;
    if (count > 0) this.openPerEffect.set(intent.effect, count);
    else this.openPerEffect.delete(intent.effect);
    const cell = this.cells.get(intent.cellId);
    if (cell !== undefined) dropIntent(cell, intent.id);
  }

  /** Nobody waits for these any more; what was sent is still found out, by the ledger. */
  abandonIntents(cell: Cell, seq: number): readonly OpenIntent[] {
    const abandoned = [...cell.open].sort().flatMap((id) => this.intents.get(id) ?? []);
    for (const intent of abandoned) {
      this.settle(intent);
      this.publish({ kind: "withdraw", seq, intentHash: intent.hash });
    }
    return abandoned;
  }

  /** A cell that has and waits for nothing is not there. */
  forgetEmpty(cell: Cell): void {
    if (cell.state !== null || cell.isAway || !isIdle(cell)) return;
    this.cells.delete(cell.id);
    this.older?.forget(cell);
  }

  /** The records since the last frame, to be made durable; null = none. */
  takeFrame(): Frame | null {
    const { records, seq } = this;
    if (records.length === 0) return null;
    this.records = [];
    this.recordBytes = 0;
    return { formatVersion: 1, firstSeq: seq - records.length + 1, lastSeq: seq, records };
  }

  takeNotes(): readonly Note[] {
    const notes = this.noteList;
    if (notes.length === 0) return nothing;
    this.noteList = [];
    return notes;
  }

  /** The records up to here are durable: what they order may now be done, in this order. */
  flushed(lastSeq: number): readonly Publication[] {
    invariant(lastSeq <= this.seq, "nothing is durable that was not written");
    const due = this.publications.filter(({ seq }) => seq <= lastSeq);
    this.publications = this.publications.filter(({ seq }) => seq > lastSeq);
    return due;
  }
}
