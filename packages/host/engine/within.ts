import type { Timers } from "../membership/time.ts";

/** Null = the time was over first; what is waited for goes on, and nobody hears of it here. */
export async function within<T>(
  timers: Timers,
  ms: number,
  work: Promise<T>,
): Promise<{ readonly value: T } | null> {
  const over = Promise.withResolvers<null>();
  const cancel = timers.setTimer(ms, () => over.resolve(null));
  try {
    return await Promise.race([work.then((value) => ({ value })), over.promise]);
  } finally {
    cancel();
  }
}
