/** How often to try, and how long to wait in between. */
export type Backoff = {
  readonly attemptsMax: number;
  readonly firstMs: number;
  /** Each wait is this many times the one before; 1 if left out. */
  readonly factor?: number;
  readonly waitMsMax?: number;
};

export type NextAttempt = { readonly attempt: number; readonly waitMs: number };

/** After `attempt` has failed, counted from 1: the next one, or null when it was the last. */
function next(attempt: number, backoff: Backoff): NextAttempt | null {
  if (attempt >= backoff.attemptsMax) return null;
  let waitMs = backoff.firstMs;
  for (let made = 1; made < attempt; made++) waitMs *= backoff.factor ?? 1;
  const limit = backoff.waitMsMax ?? waitMs;
  return { attempt: attempt + 1, waitMs: waitMs < limit ? waitMs : limit };
}

export const retry = { next } as const;
