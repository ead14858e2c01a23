import { hex } from "./hex.ts";
import type { Stamp } from "./stamp.ts";

/** One thing that waits to be stepped on, as the step will see it. */
export type Mail = {
  readonly value: Uint8Array;
  readonly stamp: Stamp;
  readonly depth: number; // how many steps lie between it and the outside
  readonly intentId: string | null; // null = an event; else whose continuation it is
  root: number | null; // record from outside that it all came of; null = it is not known
};

/** Of most cells nothing waits, and there are many. */
const noMail: readonly Mail[] = [];

/** First in, first out. Taking from the front costs nothing, however long the list is. */
export class Mailbox {
  private list: readonly Mail[];
  private first = 0;

  constructor(entries: readonly Mail[] = noMail) {
    this.list = entries.length === 0 ? noMail : [...entries];
  }

  get count(): number {
    return this.list.length - this.first;
  }

  /** Counted from the front; null = there are not so many. */
  at(index: number): Mail | null {
    return this.list[this.first + index] ?? null;
  }

  add(mail: Mail): void {
    if (this.list === noMail) this.list = [mail];
    else (this.list as Mail[]).push(mail);
  }

  dropFirst(): void {
    this.first++;
    if (this.count <= 0) this.keep(() => false);
    else if (this.first * 2 > this.list.length) this.keep(() => true);
  }

  keep(wanted: (mail: Mail) => boolean): void {
    const kept = this.count > 0 ? this.entries().filter(wanted) : noMail;
    this.list = kept.length === 0 ? noMail : kept;
    this.first = 0;
  }

  entries(): readonly Mail[] {
    return this.list.slice(this.first);
  }
}

/** One instance of a machine: its state, what it waits for and what waits for it. */
export type Cell = {
  readonly id: string;
  readonly machine: string;
  readonly key: Uint8Array | null; // null = the machine has one cell
  place: Uint8Array | null; // in its machine's index; null = nobody has asked yet
  state: Uint8Array | null; // null = it has none yet, or no longer, or is away
  /** What the index has of it is not here: nobody has looked, or it was put away. */
  isAway: boolean;
  readonly mailbox: Mailbox;
  open: ReadonlySet<string>; // ids of its intents
  failed: Failure | null;
  completed: boolean;
  lastEventSeq: number;
  moduleVersion: string;
};

/** `step`: the event at the head of the mailbox did it, and stays there until a person decides. */
export type Failure = "step" | "receipt";

export const cellStatuses = ["running", "waiting", "completed", "failed"] as const;
export type CellStatus = (typeof cellStatuses)[number];

export function statusOf(cell: Cell): CellStatus {
  if (cell.failed !== null) return "failed";
  if (cell.open.size > 0) return "waiting";
  return cell.completed ? "completed" : "running";
}

export function cellIdOf(machine: string, key: Uint8Array | null): string {
  return `${machine}::${key === null ? "" : hex(key)}`;
}

/** It waits for nothing, and nothing waits for it: all there is of it is in the index. */
export function isIdle({ mailbox, open, failed }: Cell): boolean {
  return mailbox.count === 0 && open.size === 0 && failed === null;
}

/** Shared by all that have none. */
const noIntents: ReadonlySet<string> = new Set();

export function addIntent(cell: Cell, intentId: string): void {
  if (cell.open.size === 0) cell.open = new Set();
  (cell.open as Set<string>).add(intentId);
}

export function dropIntent(cell: Cell, intentId: string): void {
  if (cell.open.has(intentId)) (cell.open as Set<string>).delete(intentId);
  if (cell.open.size === 0) cell.open = noIntents;
}

export function newCell(
  machine: string,
  key: Uint8Array | null,
  id: string = cellIdOf(machine, key),
): Cell {
  return {
    id,
    machine,
    key,
    place: null,
    state: null,
    isAway: false,
    mailbox: new Mailbox(),
    open: noIntents,
    failed: null,
    completed: false,
    lastEventSeq: 0,
    moduleVersion: "",
  };
}
