import type { Must, Result } from "./bench.ts";

/** The metrics that miss their bar, each in words. A bar without a ratio is missed too. */
export function missedMusts(results: readonly Result[]): string[] {
  return results.flatMap(({ metric, ratio, must }) => {
    if (must === undefined) return [];
    if (ratio === undefined || Number.isNaN(ratio)) return [`${metric}: no ratio was measured`];
    const { atLeast = Number.NEGATIVE_INFINITY, atMost = Number.POSITIVE_INFINITY } = must;
    if (ratio >= atLeast && ratio <= atMost) return [];
    return [`${metric}: ratio ${ratio.toPrecision(3)}, must be ${mustText(must)}`];
  });
}

export function mustText({ atLeast, atMost }: Must): string {
  if (atLeast !== undefined && atMost !== undefined) return `${atLeast} to ${atMost}`;
  if (atLeast !== undefined) return `at least ${atLeast}`;
  return atMost === undefined ? "anything" : `at most ${atMost}`;
}
