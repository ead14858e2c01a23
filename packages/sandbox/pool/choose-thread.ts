/** Requests that a thread may have at hand: waking it for each would cost more than most take. */
const loadMax = 24;
/** It gets more when it has no more than this, and then many in one message. */
const refillAt = 8;
/**
 * So long a request may stand behind others before another thread is woken for it: waking one
 * costs the main thread as much as a short phase takes.
 */
const queueMsMax = 5;

/** What is known of a thread (slice-thread.ts). */
export type ThreadState = {
  readonly load: number;
  readonly isSlow: boolean;
  readonly isFilling: boolean;
  readonly expectedMs: number;
};

export type Wanted = {
  readonly expectedMs: number;
  readonly mustBeFirst: boolean;
  readonly mayBeNew: boolean;
};

/**
 * One thread is kept busy before the next is woken, as long as what it has is short; where nobody
 * knows how long it takes, work is spread. Null = the request waits.
 */
export function chooseThread<T extends ThreadState>(
  threads: readonly T[],
  { expectedMs, mustBeFirst, mayBeNew }: Wanted,
): T | "new" | null {
  const busy = mustBeFirst ? null : soonFree(threads, expectedMs);
  if (busy !== null) return hasRoom(busy) ? busy : null;
  const least = leastLoaded(threads);
  if (least !== null && least.load === 0) return least;
  if (mayBeNew) return "new";
  if (mustBeFirst || least === null || least.isSlow) return null;
  return hasRoom(least) ? least : null;
}

/** The one that has most to do among those that will soon have done it. */
function soonFree<T extends ThreadState>(threads: readonly T[], expectedMs: number): T | null {
  let most: T | null = null;
  for (const thread of threads) {
    if (thread.load === 0 || thread.isSlow) continue;
    if (thread.expectedMs + expectedMs > queueMsMax) continue;
    if (most === null || thread.load > most.load) most = thread;
  }
  return most;
}

function leastLoaded<T extends ThreadState>(threads: readonly T[]): T | null {
  let least: T | null = null;
  for (const thread of threads) {
    if (least === null || rankOf(thread) < rankOf(least)) least = thread;
  }
  return least;
}

/** Lower is sooner free. */
function rankOf({ load, isSlow }: ThreadState): number {
  return isSlow ? Number.POSITIVE_INFINITY : load;
}

function hasRoom({ load, isFilling }: ThreadState): boolean {
  return load <= (isFilling ? loadMax - 1 : refillAt);
}
