/** How a host that is to stop breaks off what it waits for. */
export type StopSignals = {
  /** It is asked to stop: what changes nothing outside is broken off. */
  readonly asked: AbortSignal;
  /** It has waited long enough for what does. */
  readonly overdue: AbortSignal;
};

/** What was waited for changes nothing: it is left, nothing is recorded, the next host does it. */
export class HostStops extends Error {
  override readonly name = "HostStops";
}

const never = new AbortController().signal;

/** Throws HostStops once the host is asked to stop, whether the work listens to it or not. */
export async function unlessStopped<T>(
  stop: StopSignals | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const asked = stop?.asked;
  if (asked === undefined) return work(never);
  if (asked.aborted) throw new HostStops("the host stops");
  const stops = Promise.withResolvers<never>();
  const onStop = () => stops.reject(new HostStops("the host stops"));
  asked.addEventListener("abort", onStop, { once: true });
  try {
    return await Promise.race([stops.promise, work(asked)]);
  } finally {
    asked.removeEventListener("abort", onStop);
  }
}
