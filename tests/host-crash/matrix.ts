import type { StorePlace } from "../end-to-end/host-process.ts";
import type { Mood } from "../end-to-end/order-shop.ts";
import type { GuardName } from "./broken-guards.ts";
import { type Course, leaseMs, type Manner } from "./life.ts";
import { type TrialReport, tryBlow } from "./trial.ts";

export type Signal = "SIGKILL" | "SIGSTOP";

export type Cell = {
  readonly store: string;
  readonly mood: Mood;
  readonly manner?: Manner;
  readonly course?: Course;
  readonly boundary: string;
  readonly signal: Signal;
};

export type NewStore = () => Promise<{ readonly place: StorePlace; drop(): Promise<void> }>;

/** Done by the clock, whatever is worked on: how often is chance, so the first counts. */
const byTheClock =
  /^(?:before|after) store\.(?:heartbeat|census|nextDueAt|listWorkflows|claim|claimOne|release) /;

/**
 * A machine may be too busy for a trial, and how many commands one look into the inbox finds is
 * chance: a life that does not come to its boundary is begun again, with more time.
 */
const leasesMs = [leaseMs, leaseMs * 3, leaseMs * 9] as const;

/** Every boundary that a life passes, once; enumerated from a life in which nothing happens. */
export async function enumerate(
  newStore: NewStore,
  mood: Mood,
  manner: Manner = "asks you",
  course: Course = "allowed",
): Promise<readonly string[]> {
  const life = { mood, manner, course, blow: null };
  let why: unknown = null;
  for (const ownLeaseMs of leasesMs) {
    try {
      const { boundaries, problems } = await tryIn(newStore, { ...life, leaseMs: ownLeaseMs });
      if (problems.length > 0) throw new Error(`an untroubled life: ${problems.join("; ")}`);
      return boundaries.filter((name) => !byTheClock.test(name) || name.endsWith(" #1"));
    } catch (error) {
      why = error;
    }
  }
  throw why;
}

/** From the request on: what is different when the service does not simply answer. */
export function fromSending(boundaries: readonly string[]): readonly string[] {
  return boundaries.slice(boundaries.indexOf("before outside.send #1"));
}

/** From the first step on: what comes before is the same for every workflow. */
export function fromSteps(boundaries: readonly string[]): readonly string[] {
  return boundaries.slice(boundaries.indexOf("before steps #1"));
}

/** Where something is written, or is about to be: steps and states of the next version too. */
export function whereWritten(boundaries: readonly string[]): readonly string[] {
  const writes = /^(?:before|after) (?:store\.commit|store\.sweepParts|steps|migrations) /;
  return boundaries.filter((name) => writes.test(name));
}

export async function tryCell(
  newStore: NewStore,
  { mood, manner = "asks you", course = "allowed", boundary, signal }: Cell,
  brokenGuard?: GuardName,
): Promise<TrialReport> {
  const guard = brokenGuard === undefined ? {} : { brokenGuard };
  const life = { mood, manner, course, blow: { boundary, signal }, ...guard };
  let report: TrialReport | null = null;
  for (const ownLeaseMs of leasesMs) {
    report = await tryIn(newStore, { ...life, leaseMs: ownLeaseMs });
    if (report.wasReached || report.problems.length > 0) return report;
  }
  if (report === null) throw new Error("a trial has a lease");
  return report;
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

/** So many at once; the results are in the order of the jobs. */
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
