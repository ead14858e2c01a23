import { CanonicalError, type CanonicalValue, decodeCanonical } from "../canonical/index.ts";
import { invariant } from "../ports/invariant.ts";
import type { MutationRow } from "../view/rows.ts";
import { amountParts } from "./amount.ts";
import { follow, parsePointer } from "./pointer.ts";

/**
 * What a call really came to, as its result says. Null = it says nothing that could be counted,
 * and what was reserved for it stays.
 */
export function spentIn(
  { verdict, amount }: MutationRow,
  result: Uint8Array | null,
): number | null {
  const at = verdict?.spent;
  if (at === undefined || amount === null || result === null) return null;
  const path = parsePointer(at);
  invariant(path !== null, `${at} was read as a pointer`);
  return amountParts(valueAt(result, path));
}

/** The same of a read, by what it answered. */
export function spentAt(pointer: string, result: CanonicalValue): number | null {
  const path = parsePointer(pointer);
  invariant(path !== null, `${pointer} was read as a pointer`);
  return amountParts(follow(result, path));
}

/** Bytes that are no value say nothing. */
function valueAt(result: Uint8Array, path: readonly string[]): CanonicalValue | undefined {
  try {
    return follow(decodeCanonical(result), path);
  } catch (error) {
    if (error instanceof CanonicalError) return undefined;
    throw error;
  }
}
