import { HostError, invariant, type ListPlace } from "@holdfast/core";
import type { Page, PageQuery } from "./answers.ts";

/** Beyond this an answer would be too long to be read. */
export const pageItemsMax = 500;

/**
 * So many rows are looked at for one page. Where few are wanted, a page may end before it is
 * full: then it says where to go on, and nobody waits for a whole table.
 */
const rowsLookedAtMax = 5_000;
/** Where not every row is wanted, more are read at once than the page has room for. */
const rowsPerLook = 500;

/** A list in its order, and which of its rows belong on the page. */
export type Walk<R> = {
  readonly read: (after: ListPlace | null, limit: number) => Promise<readonly R[]>;
  readonly placeOf: (row: R) => ListPlace;
  /** In the same order; absent = all of them. */
  readonly pick?: ((rows: readonly R[]) => Promise<readonly R[]> | readonly R[]) | undefined;
};

type Found<R> = { readonly rows: readonly R[]; readonly next: string | null };

/** One page, read from its place on. */
export async function readPage<R>(walk: Walk<R>, { after, limit }: PageQuery): Promise<Found<R>> {
  const sound = Number.isInteger(limit) && limit >= 1 && limit <= pageItemsMax;
  invariant(sound, `a page has 1 to ${pageItemsMax} items, not ${limit}`);
  const found: R[] = [];
  let place = after === null ? null : parsePlace(after);
  for (let lookedAt = 0; lookedAt < rowsLookedAtMax; ) {
    // One more than the page, to know whether there is a next.
    const wanted = walk.pick ? rowsPerLook : limit + 1;
    const rows = await walk.read(place, wanted);
    found.push(...(walk.pick ? await walk.pick(rows) : rows));
    const last = found[limit - 1];
    if (found.length > limit && last) {
      return { rows: found.slice(0, limit), next: placeText(walk.placeOf(last)) };
    }
    const end = rows.at(-1);
    if (!end || rows.length < wanted) return { rows: found, next: null };
    place = walk.placeOf(end);
    lookedAt += rows.length;
  }
  return { rows: found, next: place === null ? null : placeText(place) };
}

export function pageOf<T>(items: readonly T[], { next }: Found<unknown>): Page<T> {
  return { items, next };
}

/** Null = everything is wanted. */
export function havingText<R>(
  text: string | undefined,
  textsOf: (row: R) => readonly (string | null)[],
): ((row: R) => boolean) | null {
  if (text === undefined || text === "") return null;
  const wanted = text.toLowerCase();
  return (row) => textsOf(row).some((each) => each?.toLowerCase().includes(wanted));
}

/** All of those that are not null. */
export function allOf<R>(
  ...conditions: readonly (((row: R) => boolean) | null)[]
): Walk<R>["pick"] {
  const asked = conditions.filter((each) => each !== null);
  if (asked.length === 0) return undefined;
  return (rows) => rows.filter((row) => asked.every((isWanted) => isWanted(row)));
}

function placeText(place: ListPlace): string {
  return place.join("~");
}

/** A number, and what stands after it where two may be alike. */
function parsePlace(text: string): ListPlace {
  const [, rank, id] = /^(0|[1-9]\d{0,15})(?:~(.+))?$/su.exec(text) ?? [];
  if (rank !== undefined) return id === undefined ? [Number(rank)] : [Number(rank), id];
  throw new HostError("CURSOR_UNKNOWN", {
    what: `No page ended at ${JSON.stringify(text)}.`,
    remedy: "Begin with the first page.",
    retry: "safe",
  });
}
