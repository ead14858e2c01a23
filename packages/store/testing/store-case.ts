import type { Instant, Store } from "@holdfast/core";
import type { ConstraintName } from "../constraint-names.ts";

export type OpenOptions = {
  /** The store's own clock: leases expire and workflows fall due by it and nothing else. */
  readonly clock: () => Instant;
  readonly newIncarnation: () => string;
};

export type OpenedStore = {
  readonly store: Store;
  /** Opens the same data again; called after the store was closed. Absent: nothing outlives it. */
  readonly reopen?: () => Promise<Store>;
  /** How long a case waits for a call that does not come before it is red. Absent: long enough. */
  readonly patienceMs?: number;
  /** Called once after each case, when everything is closed. */
  readonly remove?: () => Promise<void>;
};

/** Must give an empty store each time. */
export type OpenStore = (options: OpenOptions) => Promise<OpenedStore>;

export type ManualClock = { now(): Instant; advance(ms: number): void };

export type CaseContext = {
  readonly store: Store;
  readonly clock: ManualClock;
  /** For what a store does by itself: longer than a busy machine and a network may take. */
  readonly patienceMs: number;
  /** Closes the store and opens its data again. Only for cases with `needsReopen`. */
  reopen(): Promise<Store>;
};

/**
 * One promise of the port. A case is a value, not a call to vitest, so that the negative control
 * can run it against a store that breaks the promise and see it fail.
 */
export type StoreCase = {
  readonly name: string;
  /** The constraint that this case sees refused; each constraint has at least one. */
  readonly guards?: ConstraintName;
  readonly needsReopen?: true;
  readonly run: (context: CaseContext) => Promise<void>;
};

const patienceMsDefault = 20_000;

/** 2026-01-01T00:00:00Z: any time will do, as long as nobody reads the real one. */
export const startOfTime: Instant = 1_767_225_600_000;

export async function runCase(open: OpenStore, storeCase: StoreCase): Promise<void> {
  let now = startOfTime;
  let incarnationCount = 0;
  const opened = await open({
    clock: () => now,
    newIncarnation: () => `store-${++incarnationCount}`,
  });
  let current = opened.store;
  const context: CaseContext = {
    store: opened.store,
    patienceMs: opened.patienceMs ?? patienceMsDefault,
    clock: {
      now: () => now,
      advance: (ms) => {
        now += ms;
      },
    },
    reopen: async () => {
      if (opened.reopen === undefined) throw new Error(`${storeCase.name}: needs reopen`);
      await current.close();
      current = await opened.reopen();
      return current;
    },
  };
  try {
    await storeCase.run(context);
  } finally {
    await current.close();
    await opened.remove?.();
  }
}
