/** Time as a host may use it. Its wall clock is not here: it may be hours off. */

export type MonotonicClock = {
  /** Never goes back, and goes on while the process is stopped. */
  monotonicMs(): number;
};

export type Timers = {
  /** Calls once, no earlier than asked for; the answer cancels it. */
  setTimer(ms: number, onTime: () => void): () => void;
};
