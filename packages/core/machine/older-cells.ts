import { contentHash } from "../canonical/index.ts";
import type { Cell, Mail } from "./cell.ts";
import type { OpenIntent } from "./intent.ts";

type Name = Pick<Cell, "machine" | "key">;

/**
 * Which cells are from before a restore, or came of something that is: in the time that is
 * forgotten they may have stepped on, and what they ask for now may have been done. It stands
 * beside the kernel: no record depends on it, so that a replay makes the same bytes without it.
 *
 * A cell that no step was given since is told by its last event, and has no mark; what answers an
 * older call, or a timer, goes to the cell that asked. One that is gone has no mark either: who
 * comes under its key afterwards is new.
 */
export class OlderCells {
  /** Number of the last record from before the restore point. */
  readonly through: number;
  readonly #marks: Set<string>;
  readonly #changed = new Map<string, boolean>();

  constructor(through: number, marks: Iterable<string>) {
    this.through = through;
    this.#marks = new Set(marks);
  }

  /** Before the step changes it: whether what comes of it is older, and the cell from now on. */
  noteStep(cell: Cell, { stamp }: Mail): boolean {
    const isOld = stamp.height <= this.through || this.#isUntouched(cell) || this.#has(cell);
    if (isOld) this.mark(cell);
    return isOld;
  }

  /** As soon as an older event is on its way to it: fewer things to keep, and never too little. */
  mark(cell: Name): void {
    this.#change(markOf(cell), true);
  }

  forget(cell: Name): void {
    this.#change(markOf(cell), false);
  }

  isOlder(intent: OpenIntent): boolean {
    return intent.emittedAtSeq <= this.through || this.#has(intent);
  }

  /** What is to be kept with the frame. */
  takeChanges(): { readonly added: readonly string[]; readonly removed: readonly string[] } {
    const changed = [...this.#changed].sort(([left], [right]) => (left < right ? -1 : 1));
    this.#changed.clear();
    const that = (isAdded: boolean) =>
      changed.flatMap(([mark, is]) => (is === isAdded ? mark : []));
    return { added: that(true), removed: that(false) };
  }

  #isUntouched({ state, lastEventSeq }: Cell): boolean {
    return state !== null && lastEventSeq <= this.through;
  }

  #has(cell: Name): boolean {
    return this.#marks.has(markOf(cell));
  }

  /** What was marked and forgotten between two frames is no change. */
  #change(mark: string, isMarked: boolean): void {
    if (this.#marks.has(mark) === isMarked) return;
    if (isMarked) this.#marks.add(mark);
    else this.#marks.delete(mark);
    if (!this.#changed.delete(mark)) this.#changed.set(mark, isMarked);
  }
}

/** A key may be of any size, and a mark is part of an index. */
function markOf({ machine, key }: Name): string {
  return contentHash({ machine, key });
}
