/** A wait that was broken off is over; anything else went wrong. */
export function ignoreAbort(error: unknown): void {
  if (!(error instanceof Error && error.name === "AbortError")) throw error;
}
