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

/** First in, first out. Taking from the front costs nothing, however long the list is. */
export class Mailbox {
  private list: Mail[];
  private first = 0;

  constructor(entries: readonly Mail[] = []) {
    this.list = [...entries];
  }

  get count(): number {
    return this.list.length - this.first;
  }

  /** Counted from the front; null = there are not so many. */
  at(index: number): Mail | null {
    return this.list[this.first + index] ?? null;
  }

  add(mail: Mail): void {
    this.list.push(mail);
  }

  dropFirst(): void {
    this.first++;
    if (this.first * 2 > this.list.length) this.keep(() => true);
  }

  keep(wanted: (mail: Mail) => boolean): void {
    this.list = this.entries().filter(wanted);
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
  readonly open: Set<string>; // ids of its intents
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

export function newCell(machine: string, key: Uint8Array | null): Cell {
  return {
    id: cellIdOf(machine, key),
    machine,
    key,
    place: null,
    state: null,
    isAway: false,
    mailbox: new Mailbox(),
    open: new Set(),
    failed: null,
    completed: false,
    lastEventSeq: 0,
    moduleVersion: "",
  };
}
