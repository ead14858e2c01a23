import { HostError, invariant } from "@holdfast/core";
import type { Page, PageQuery } from "./answers.ts";

/** Beyond this an answer would be too long to be read. */
export const pageItemsMax = 500;

/** Where a row stands in a list: higher ranks first, and by id where they are equal. */
export type Place = { readonly rank: number; readonly id: string };

/**
 * Picks one page out of rows that come in any order, in one pass. It never keeps more than a
 * page, however long the table is.
 */
export class Newest<R> {
  readonly #after: Place | null;
  readonly #limit: number;
  readonly #placeOf: (row: R) => Place;
  /** In order; one more than the page, to know whether there is a next. */
  readonly #kept: { readonly place: Place; readonly row: R }[] = [];

  constructor({ after, limit }: PageQuery, placeOf: (row: R) => Place) {
    const sound = Number.isInteger(limit) && limit >= 1 && limit <= pageItemsMax;
    invariant(sound, `a page has 1 to ${pageItemsMax} items, not ${limit}`);
    this.#after = after === null ? null : parsePlace(after);
    this.#limit = limit;
    this.#placeOf = placeOf;
  }

  /** False for a row that cannot be on the page, whatever else is to be found out about it. */
  wants(row: R): boolean {
    const place = this.#placeOf(row);
    if (this.#after !== null && !isBefore(this.#after, place)) return false;
    const last = this.#kept[this.#limit];
    return last === undefined || isBefore(place, last.place);
  }

  add(row: R): void {
    if (!this.wants(row)) return;
    const place = this.#placeOf(row);
    const index = this.#kept.findIndex((other) => isBefore(place, other.place));
    this.#kept.splice(index === -1 ? this.#kept.length : index, 0, { place, row });
    this.#kept.length = Math.min(this.#kept.length, this.#limit + 1);
  }

  rows(): R[] {
    return this.#kept.slice(0, this.#limit).map(({ row }) => row);
  }

  page<T>(items: readonly T[]): Page<T> {
    const last = this.#kept[this.#limit - 1];
    const isMore = this.#kept.length > this.#limit;
    return { items, next: isMore && last ? placeText(last.place) : null };
  }
}

/** Ids that the core gives out end in the position of the fact that made them. */
export function rankOfId(id: string): number {
  const rank = Number(id.slice(1));
  invariant(Number.isSafeInteger(rank), `${id} has a number`);
  return rank;
}

function isBefore(a: Place, b: Place): boolean {
  return a.rank === b.rank ? a.id < b.id : a.rank > b.rank;
}

function placeText({ rank, id }: Place): string {
  return `${rank}~${id}`;
}

function parsePlace(text: string): Place {
  const [, rank, id] = /^(0|[1-9]\d{0,15})~(.+)$/su.exec(text) ?? [];
  if (rank !== undefined && id !== undefined) return { rank: Number(rank), id };
  throw new HostError("CURSOR_UNKNOWN", {
    what: `No page ended at ${JSON.stringify(text)}.`,
    remedy: "Begin with the first page.",
    retry: "safe",
  });
}
