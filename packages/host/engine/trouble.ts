import type { HostError } from "@holdfast/core";

/** The store could not be used for a workflow; after a pause the work goes on. */
export type WorkTrouble = {
  readonly doing: "work";
  readonly workflow: string;
  readonly cause: HostError;
  /** How often in a row, this one included. */
  readonly times: number;
  /** When it is tried again. */
  readonly pauseMs: number;
};

/** A connection that was only cut is there again by then. */
const pauseMsFirst = 100;
/** Longer, and a store that has come back would wait for its hosts. */
const pauseMsMax = 5_000;

/** Twice as long each time, and never the same for all who wait. `jitter` from 0 to 1. */
export function troublePauseMs(times: number, jitter: number): number {
  const longest = Math.min(pauseMsMax, pauseMsFirst * 2 ** (times - 1));
  return Math.ceil((longest * (1 + jitter)) / 2);
}
