import type { Changes } from "@holdfast/core";
import { following, heartbeat, piecesOf } from "./stream-text.ts";

export type Reader = {
  /** Whether the token or the visit it was opened with is still good. */
  readonly isIn: () => boolean;
  /** What else moves on is not told. Absent = everything is. */
  readonly isSeen?: (workflow: string) => boolean;
  /** Ends the connection of a reader that does not read. */
  readonly cutOff: () => void;
};

export type StreamParts = Reader & {
  /** Null = the store did not answer. */
  readonly readMissed: (after: string) => Promise<Changes | null>;
  readonly onEnd: () => void;
};

const ticksPerHeartbeat = 15;
const unreadTicksMax = 30;

/**
 * One reader of the changes. It keeps what is being written and a cursor, however slowly it is
 * read: what it cannot take now is read for it again when it can.
 */
export class LiveStream {
  readonly body: ReadableStream<Uint8Array>;
  readonly #parts: StreamParts;
  #controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  #pieces: Uint8Array[] = [];
  /** Null = it has not begun. */
  #cursor: string | null = null;
  #isBehind = false;
  #isCatchingUp = false;
  /** Somebody waits to read. */
  #isWanted = false;
  #quietTicks = 0;
  #unreadTicks = 0;
  #isOver = false;

  constructor(parts: StreamParts) {
    this.#parts = parts;
    this.body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: () => this.#pull(),
        cancel: () => void this.leave(),
      },
      // Only what somebody waits for is written.
      { highWaterMark: 0 },
    );
  }

  /** What was missed before it was opened; it is told of everything since. */
  begin(missed: Changes): void {
    this.#cursor = missed.cursor;
    this.#pieces = [...piecesOf(this.#seen(missed)), following(missed.cursor)];
  }

  /** What moved on since the last that was told. */
  take(changes: Changes, pieces: readonly Uint8Array[]): void {
    if (!this.#isLevel) return this.fallBehind();
    this.#cursor = changes.cursor;
    const seen = this.#seen(changes);
    this.#pieces = [...(seen === changes ? pieces : piecesOf(seen))];
    this.#give();
  }

  /** Before it is told anything newer, it needs what came after its cursor. */
  fallBehind(): void {
    this.#isBehind = true;
  }

  /** Once a second. */
  tick(): void {
    if (!this.#parts.isIn()) return this.end();
    this.#quietTicks += 1;
    this.#unreadTicks = this.#isWanted ? 0 : this.#unreadTicks + 1;
    if (this.#unreadTicks >= unreadTicksMax) return this.end();
    if (this.#isWanted && this.#isBehind) return void this.#pull();
    if (!this.#isLevel || this.#quietTicks < ticksPerHeartbeat) return;
    this.#pieces = [heartbeat];
    this.#give();
  }

  /** Who has not read all of it loses the connection; it can be resumed where it was. */
  end(): void {
    if (!this.leave()) return;
    if (this.#isWanted) this.#controller?.close();
    else this.#parts.cutOff();
  }

  /** Nobody is there any more, or not yet. False = that was so before. */
  leave(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    this.#pieces = [];
    this.#parts.onEnd();
    return true;
  }

  /** What it has been given is all there was until the last that was told. */
  get #isLevel(): boolean {
    const isIdle = this.#isWanted && !this.#isCatchingUp && this.#pieces.length === 0;
    return isIdle && !this.#isBehind;
  }

  async #pull(): Promise<void> {
    this.#isWanted = true;
    while (this.#pieces.length === 0 && this.#isBehind && !this.#isOver) {
      if (!(await this.#catchUp())) return;
    }
    this.#give();
  }

  /** False = not now; the next tick tries again. */
  async #catchUp(): Promise<boolean> {
    if (this.#cursor === null || this.#isCatchingUp) return false;
    this.#isBehind = false;
    this.#isCatchingUp = true;
    const missed = await this.#parts.readMissed(this.#cursor);
    this.#isCatchingUp = false;
    this.#isBehind ||= missed === null;
    if (missed === null) return false;
    this.#cursor = missed.cursor;
    this.#pieces = [...piecesOf(this.#seen(missed))];
    return true;
  }

  #seen(changes: Changes): Changes {
    const { isSeen } = this.#parts;
    if (isSeen === undefined || changes.changed.every(({ workflow }) => isSeen(workflow))) {
      return changes;
    }
    return { ...changes, changed: changes.changed.filter(({ workflow }) => isSeen(workflow)) };
  }

  #give(): void {
    const [piece, ...later] = this.#pieces;
    if (this.#isOver || piece === undefined) return;
    if (!this.#parts.isIn()) return this.end();
    this.#pieces = later;
    this.#isWanted = false;
    this.#quietTicks = 0;
    this.#controller?.enqueue(piece);
  }
}
