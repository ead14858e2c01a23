import type { MonotonicClock, Timers } from "../membership/time.ts";

type Timer = { readonly at: number; readonly order: number; readonly onTime: () => void };

/** Time that passes only when a test says so; every process of the test has its own view of it. */
export class VirtualTime {
  #now = 0;
  #order = 0;
  readonly #processes: VirtualProcess[] = [];

  get now(): number {
    return this.#now;
  }

  startProcess(): VirtualProcess {
    const process = new VirtualProcess(this, () => ++this.#order);
    this.#processes.push(process);
    return process;
  }

  /** Timers run in their order, each after everything that the one before set off. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await settle();
    for (;;) {
      const next = this.#nextTimer(end);
      if (next === null) break;
      this.#now = Math.max(this.#now, next.timer.at);
      next.process.run(next.timer);
      await settle();
    }
    this.#now = end;
  }

  #nextTimer(end: number): { process: VirtualProcess; timer: Timer } | null {
    let first: { process: VirtualProcess; timer: Timer } | null = null;
    for (const process of this.#processes) {
      const timer = process.firstTimer(end);
      if (timer === null || (first !== null && !isBefore(timer, first.timer))) continue;
      first = { process, timer };
    }
    return first;
  }
}

function isBefore(one: Timer, other: Timer): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order);
}

/** A process that can be stopped: its timers wait, and the time goes on without it. */
export class VirtualProcess {
  readonly clock: MonotonicClock;
  readonly timers: Timers;
  /** What its monotonic clock showed at the beginning of the test: any number will do. */
  clockStartMs = 0;
  #isStopped = false;
  readonly #waiting = new Set<Timer>();

  constructor(time: VirtualTime, nextOrder: () => number) {
    this.clock = { monotonicMs: () => this.clockStartMs + time.now };
    this.timers = {
      setTimer: (ms, onTime) => {
        const timer = { at: time.now + Math.max(0, ms), order: nextOrder(), onTime };
        this.#waiting.add(timer);
        return () => this.#waiting.delete(timer);
      },
    };
  }

  get timerCount(): number {
    return this.#waiting.size;
  }

  /** Like SIGSTOP. For good, it is like SIGKILL: nothing of it happens any more. */
  stop(): void {
    this.#isStopped = true;
  }

  /** What was due meanwhile runs with the next advance, not before. */
  continue(): void {
    this.#isStopped = false;
  }

  firstTimer(end: number): Timer | null {
    if (this.#isStopped) return null;
    let first: Timer | null = null;
    for (const timer of this.#waiting) {
      if (timer.at <= end && (first === null || isBefore(timer, first))) first = timer;
    }
    return first;
  }

  run(timer: Timer): void {
    if (this.#waiting.delete(timer)) timer.onTime();
  }
}

/** Everything that is ready to happen has happened: the memory store waits for nothing else. */
export async function settle(): Promise<void> {
  await new Promise(setImmediate);
}
