import { uptime } from "node:os";
import type { MonotonicClock, Timers } from "./time.ts";

/** Where the system tells its uptime in whole seconds, it may seem ahead by this much. */
const uptimeStepMs = 1_000;

/** Beyond this Node's timers would run at once. */
const timerMsMax = 2 ** 31 - 1;

/**
 * Node's own clock stands still while the machine sleeps, and a lease does not. The system's
 * uptime goes on, so what it is ahead of Node's clock is counted in. A virtual machine that is
 * paused from outside cannot notice it at all: there the epoch alone protects.
 */
export function countSleep(awakeMs: () => number, uptimeMs: () => number): MonotonicClock {
  const [uptimeStart, awakeStart] = [uptimeMs(), awakeMs()];
  let sleptMs = 0;
  return {
    monotonicMs: () => {
      const upMs = uptimeMs() - uptimeStart;
      const now = awakeMs();
      const aheadMs = upMs - (now - awakeStart);
      if (aheadMs > sleptMs + uptimeStepMs) sleptMs = aheadMs;
      return now + sleptMs;
    },
  };
}

export const realClock: MonotonicClock = countSleep(
  () => performance.now(),
  () => uptime() * 1_000,
);

export const realTimers: Timers = {
  setTimer: (ms, onTime) => {
    const timer = setTimeout(onTime, Math.min(Math.max(0, ms), timerMsMax));
    return () => clearTimeout(timer);
  },
};
