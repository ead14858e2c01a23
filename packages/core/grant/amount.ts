/**
 * Amounts are counted in ten-thousandths: sums of whole numbers are exact in every store, and no
 * currency has more than four decimals.
 */
const partsPerOne = 10_000;

/** Null = not an amount that can be counted exactly. */
export function amountParts(value: unknown): number | null {
  if (typeof value !== "number" || value < 0) return null;
  const parts = Math.round(value * partsPerOne);
  return Number.isSafeInteger(parts) && parts / partsPerOne === value ? parts : null;
}

export function amountText(parts: number): string {
  return String(parts / partsPerOne);
}
