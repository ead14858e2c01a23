import { invariant } from "@holdfast/core";

/** Most of what a short statement costs is the statement: so many rows go in one. */
export const rowsAtOnce = 16;

/**
 * Texts for every number of rows up to that, so that each is prepared once. `each` stands once for
 * every row between the two others.
 */
export function textsForRows(before: string, each: string, after = ""): (count: number) => string {
  const texts = Array.from({ length: rowsAtOnce }, (_, more) => {
    return before + Array.from({ length: more + 1 }, () => each).join() + after;
  });
  return (count) => {
    const text = texts[count - 1];
    invariant(text !== undefined, `${count} rows at once`);
    return text;
  };
}

/** In their order. */
export function* inRows<T>(all: readonly T[]): Iterable<readonly T[]> {
  for (let from = 0; from < all.length; from += rowsAtOnce) {
    yield all.slice(from, from + rowsAtOnce);
  }
}
