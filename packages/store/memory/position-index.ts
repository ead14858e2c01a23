import type { Seq } from "@holdfast/core";
import { compareText } from "../text-order.ts";

export type EventPlace = { readonly position: Seq; readonly messageId: string };

/** Chunks split at this size: small enough to move cheaply, large enough to be few. */
const chunkEventsMax = 512;

/**
 * Events of one topic in position order. Adding and removing anywhere moves at most one chunk,
 * so a topic with hundreds of thousands of events costs a commit no more than a small one.
 */
export class PositionIndex {
  readonly #chunks: EventPlace[][] = [];

  add(event: EventPlace): void {
    const at = this.#chunkOf(event);
    const chunk = this.#chunks[at];
    if (chunk === undefined) {
      const last = this.#chunks.at(-1);
      if (last === undefined || last.length >= chunkEventsMax) this.#chunks.push([event]);
      else last.push(event);
      return;
    }
    chunk.splice(firstNotBefore(chunk, event), 0, event);
    if (chunk.length > chunkEventsMax) {
      this.#chunks.splice(at + 1, 0, chunk.splice(chunkEventsMax >> 1));
    }
  }

  remove(event: EventPlace): void {
    const at = this.#chunkOf(event);
    const chunk = this.#chunks[at];
    if (chunk === undefined) return;
    const index = firstNotBefore(chunk, event);
    const found = chunk[index];
    if (found === undefined || compareEvents(found, event) !== 0) return;
    chunk.splice(index, 1);
    if (chunk.length === 0) this.#chunks.splice(at, 1);
  }

  /** Oldest first. */
  *places(): Generator<EventPlace> {
    for (const chunk of this.#chunks) yield* chunk;
  }

  first(): EventPlace | null {
    return this.#chunks[0]?.[0] ?? null;
  }

  /** The first chunk that ends at or after the event; the number of chunks when none does. */
  #chunkOf(event: EventPlace): number {
    let low = 0;
    let high = this.#chunks.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const last = this.#chunks[middle]?.at(-1);
      if (last !== undefined && compareEvents(last, event) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function firstNotBefore(chunk: readonly EventPlace[], event: EventPlace): number {
  let low = 0;
  let high = chunk.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const candidate = chunk[middle];
    if (candidate !== undefined && compareEvents(candidate, event) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

function compareEvents(left: EventPlace, right: EventPlace): number {
  return left.position - right.position || compareText(left.messageId, right.messageId);
}
