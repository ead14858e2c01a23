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

/**
 * A statement holds on to what it was last given until it is given something else: what is larger
 * has one of its own, the same for all.
 */
const bytesAtOnceMax = 16 * 1_024;

/** In their order. */
export function* inRows<T extends { readonly bytes: Uint8Array }>(
  all: readonly T[],
): Iterable<readonly T[]> {
  let some: T[] = [];
  for (const each of all) {
    const isLarge = each.bytes.length > bytesAtOnceMax;
    if (some.length === rowsAtOnce || (isLarge && some.length > 0)) {
      yield some;
      some = [];
    }
    if (isLarge) yield [each];
    else some.push(each);
  }
  if (some.length > 0) yield some;
}
