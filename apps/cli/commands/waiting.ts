/** How many events stand still behind a question. */
export function waitingOf(waiting: unknown): string {
  if (typeof waiting !== "object" || waiting === null) return "–";
  const { events, isMore } = waiting as { readonly events: number; readonly isMore: boolean };
  return `${events}${isMore ? "+" : ""}`;
}
