import type { Timers } from "../membership/time.ts";

/** What became of the waiting: an answer, or why nobody waits any more. */
export type Waited<T> =
  | { readonly kind: "answer"; readonly value: T }
  /** `work` is what goes on. */
  | { readonly kind: "too_long" | "given_up"; readonly work: Promise<T> };

/**
 * Waits for so long, or until somebody gives up on it. Then the work is told by its signal; if it
 * goes on all the same, nobody hears of it here.
 */
export async function within<T>(
  timers: Timers,
  { ms, until }: { readonly ms: number; readonly until?: AbortSignal | undefined },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<Waited<T>> {
  const breakOff = new AbortController();
  const over = Promise.withResolvers<"too_long" | "given_up">();
  const end = (kind: "too_long" | "given_up") => {
    over.resolve(kind);
    breakOff.abort();
  };
  const onGivenUp = () => end("given_up");
  const working = work(breakOff.signal);
  const cancel = timers.setTimer(ms, () => end("too_long"));
  until?.addEventListener("abort", onGivenUp, { once: true });
  if (until?.aborted === true) onGivenUp();
  try {
    const ended = over.promise.then((kind) => ({ kind, work: working }));
    const answered = working.then((value) => ({ kind: "answer", value }) as const);
    return await Promise.race([ended, answered]);
  } finally {
    cancel();
    until?.removeEventListener("abort", onGivenUp);
  }
}
