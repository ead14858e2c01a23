import type { Changes, Store } from "@holdfast/core";
import type { Timers } from "@holdfast/host";
import { LiveStream, type Reader } from "./live-stream.ts";
import { piecesOf } from "./stream-text.ts";

/** What other hosts have changed is seen after this time at the latest. */
const tickMs = 1_000;
/** Of changes that follow each other closely one look is enough. */
const lookMs = 25;
const openCountMax = 500;

export type LiveParts = {
  readonly store: Pick<Store, "readChanges">;
  readonly timers: Timers;
  readonly complain: (line: string) => void;
};

/** Tells everybody who listens which workflows have moved on. One reader reads for all of them. */
export class Live {
  readonly #parts: LiveParts;
  readonly #streams = new Set<LiveStream>();
  /** Of the last that was told; null = nobody listens. */
  #cursor: string | null = null;
  #isLooking = false;
  #isTroubled = false;
  #isClosed = false;
  #cancelTick = (): void => {};
  #cancelLook: (() => void) | null = null;

  constructor(parts: LiveParts) {
    this.#parts = parts;
  }

  get openCount(): number {
    return this.#streams.size;
  }

  /** Null = too many are open already, or the host stops. Throws what the store throws. */
  async open(after: string | null, reader: Reader): Promise<LiveStream | null> {
    if (this.#isClosed || this.#streams.size >= openCountMax) return null;
    const stream = new LiveStream({
      ...reader,
      readMissed: (from) => this.#read(from),
      onEnd: () => this.#ended(stream),
    });
    // Before its first look: what all others are told meanwhile is then known to be missing.
    this.#streams.add(stream);
    if (this.#streams.size === 1) this.#tickLater();
    const isFirst = this.#cursor === null;
    try {
      const missed = await this.#parts.store.readChanges(after);
      stream.begin(missed);
      // Others that opened at the same time may have been told from a later place on.
      if (isFirst && this.#cursor !== null) stream.fallBehind();
      this.#cursor ??= missed.cursor;
      return stream;
    } catch (error) {
      stream.leave();
      throw error;
    }
  }

  /** This host has changed something. */
  changed(): void {
    if (this.#cursor === null || this.#cancelLook !== null) return;
    this.#cancelLook = this.#parts.timers.setTimer(lookMs, () => {
      this.#cancelLook = null;
      void this.#look();
    });
  }

  close(): void {
    this.#isClosed = true;
    for (const stream of [...this.#streams]) stream.end();
  }

  #tickLater(): void {
    this.#cancelTick = this.#parts.timers.setTimer(tickMs, () => {
      this.#tickLater();
      for (const stream of [...this.#streams]) stream.tick();
      void this.#look();
    });
  }

  async #look(): Promise<void> {
    if (this.#cursor === null) return;
    // The one that is under way may have looked before the change.
    if (this.#isLooking) return this.changed();
    this.#isLooking = true;
    const changes = await this.#read(this.#cursor);
    this.#isLooking = false;
    // Those who listened may have gone meanwhile.
    if (changes === null || this.#cursor === null) return;
    this.#cursor = changes.cursor;
    const pieces = piecesOf(changes);
    if (pieces.length === 0) return;
    for (const stream of [...this.#streams]) stream.take(changes, pieces);
  }

  /** Trouble is said once; whoever waits is told when it is over. */
  async #read(after: string): Promise<Changes | null> {
    try {
      const changes = await this.#parts.store.readChanges(after);
      this.#isTroubled = false;
      return changes;
    } catch (error) {
      if (!this.#isTroubled && !this.#isClosed) {
        this.#parts.complain(`changes cannot be shown, and are looked for again: ${error}`);
      }
      this.#isTroubled = true;
      return null;
    }
  }

  #ended(stream: LiveStream): void {
    this.#streams.delete(stream);
    if (this.#streams.size > 0) return;
    this.#cursor = null;
    this.#cancelTick();
    this.#cancelLook?.();
    this.#cancelLook = null;
  }
}
