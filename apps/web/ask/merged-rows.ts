/** Rows that were told, newest first, and those that came in since and are not shown yet. */
export type Merged<T> = { readonly shown: readonly T[]; readonly fresh: readonly T[] };

/**
 * What is on the screen, brought up to date without moving: rows that are known are told anew in
 * their place, rows that are new wait until somebody wants to see them.
 */
export function mergeRows<T>(
  known: readonly T[],
  told: readonly T[],
  idOf: (row: T) => string,
): Merged<T> {
  const newest = new Map(told.map((row) => [idOf(row), row]));
  const ids = new Set(known.map(idOf));
  return {
    shown: known.map((row) => newest.get(idOf(row)) ?? row),
    fresh: told.filter((row) => !ids.has(idOf(row))),
  };
}
