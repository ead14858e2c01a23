/** What guest code may use. Every value has its unit in its name; passing one is a failure. */
export type SandboxLimits = {
  readonly heapBytesMax: number;
  readonly stackBytesMax: number;
  /** One unit is ten thousand loops and calls of guest code. Built-in functions cost none. */
  readonly fuelMax: number;
  /** Time in which guest code really runs; in a job in each item, and between two of them. */
  readonly runningMsMax: number;
  /** Time in which the host works for it. */
  readonly waitingMsMax: number;
  readonly loadingMsMax: number;
  /** In a job: in each item, and between two of them. */
  readonly callsMax: number;
  /** That one run of a job opens, done ones included. */
  readonly itemsMax: number;
  /** Of the parameters of one call, and of what a handler returns. */
  readonly valueBytesMax: number;
  readonly stateBytesMax: number;
  /** Of all that one phase hands over: parameters, events, inputs and kept values together. */
  readonly outputBytesMax: number;
  readonly logLinesMax: number;
  /** Longer lines are cut. */
  readonly logLineCharsMax: number;
  readonly eventsPerPublishMax: number;
  readonly eventsMax: number;
  readonly definitionBytesMax: number;
};

/**
 * Steps that are run again came to an end before: only what hangs, or a machine with far too much
 * to do, takes so many times as long.
 */
const againTimes = 12;

export function limitsAgain(limits: SandboxLimits): SandboxLimits {
  return { ...limits, runningMsMax: limits.runningMsMax * againTimes };
}

export const sandboxLimitDefaults: SandboxLimits = {
  heapBytesMax: 16_777_216,
  stackBytesMax: 262_144,
  fuelMax: 100_000,
  runningMsMax: 5_000,
  waitingMsMax: 300_000,
  loadingMsMax: 5_000,
  callsMax: 1_000,
  itemsMax: 20_000,
  valueBytesMax: 4_194_304,
  stateBytesMax: 262_144,
  outputBytesMax: 67_108_864,
  logLinesMax: 1_000,
  logLineCharsMax: 1_000,
  eventsPerPublishMax: 1_000,
  eventsMax: 10_000,
  definitionBytesMax: 1_048_576,
};
