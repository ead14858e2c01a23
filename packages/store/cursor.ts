import { unknownCursor } from "./store-errors.ts";

/**
 * A place in the order of one store's commits, as text that callers keep and give back. It names
 * the store: after a restore the places mean something else, and what moved would be passed over.
 */
export type Cursor = { readonly place: number; readonly storeIncarnation: string };

const cursorPattern = /^(0|[1-9][0-9]{0,15})@(.*)$/s;

export function encodeCursor({ place, storeIncarnation }: Cursor): string {
  return `${place}@${storeIncarnation}`;
}

/** `last` is where the store is now: it cannot have given out a later place. */
export function decodeCursor(
  text: string,
  { storeIncarnation, last }: { readonly storeIncarnation: string; readonly last: number },
): number {
  const [, digits, incarnation] = cursorPattern.exec(text) ?? [];
  const place = Number(digits);
  if (incarnation !== storeIncarnation || place > last) throw unknownCursor(text);
  return place;
}
