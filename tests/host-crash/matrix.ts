import type { StorePlace } from "../end-to-end/host-process.ts";
import type { Mood } from "../end-to-end/order-shop.ts";
import type { GuardName } from "./broken-guards.ts";
import type { Manner } from "./life.ts";
import { type TrialReport, tryBlow } from "./trial.ts";

export type Signal = "SIGKILL" | "SIGSTOP";

export type Cell = {
  readonly store: string;
  readonly mood: Mood;
  readonly manner?: Manner;
  readonly boundary: string;
  readonly signal: Signal;
};

export type NewStore = () => Promise<{ readonly place: StorePlace; drop(): Promise<void> }>;

/** Done by the clock, whatever is worked on: how often is chance, so the first counts. */
const byTheClock =
  /^(?:before|after) store\.(?:heartbeat|census|nextDueAt|listWorkflows|claim|release) /;

/** Every boundary that a life passes, once; enumerated from a life in which nothing happens. */
export async function enumerate(
  newStore: NewStore,
  mood: Mood,
  manner: Manner = "asks you",
): Promise<readonly string[]> {
  const { boundaries, problems } = await tryIn(newStore, { mood, manner, blow: null });
  if (problems.length > 0) throw new Error(`an untroubled life: ${problems.join("; ")}`);
  return boundaries.filter((name) => !byTheClock.test(name) || name.endsWith(" #1"));
}

/** From the request on: what is different when the service does not simply answer. */
export function fromSending(boundaries: readonly string[]): readonly string[] {
  return boundaries.slice(boundaries.indexOf("before outside.send #1"));
}

export async function tryCell(
  newStore: NewStore,
  { mood, manner = "asks you", boundary, signal }: Cell,
  brokenGuard?: GuardName,
): Promise<TrialReport> {
  const blow = { boundary, signal };
  return tryIn(newStore, {
    mood,
    manner,
    blow,
    ...(brokenGuard === undefined ? {} : { brokenGuard }),
  });
}

async function tryIn(
  newStore: NewStore,
  options: Omit<Parameters<typeof tryBlow>[0], "store">,
): Promise<TrialReport> {
  const { place, drop } = await newStore();
  try {
    return await tryBlow({ store: place, ...options });
  } finally {
    await drop();
  }
}

/** So many at once as the machine has cores; in order of their beginning. */
export async function inParallel<T>(
  jobs: readonly (() => Promise<T>)[],
  atOnce: number,
): Promise<readonly T[]> {
  const results: T[] = [];
  const waiting = [...jobs.entries()];
  const worker = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      results[next[0]] = await next[1]();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return results;
}
