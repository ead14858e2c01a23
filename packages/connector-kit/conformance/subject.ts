import type { Connected } from "../connector.ts";

/** What is tested: one change of one connector, and the service it is made at. */
export type Subject = {
  readonly name: string;
  /** An account of the service at that address. */
  readonly connect: (baseUrl: string) => Connected;
  readonly operation: string;
  readonly params: unknown;
  /** A fresh one for each trial: nothing has been changed there yet. */
  readonly openService: (clock: TestClock) => Promise<TestedService>;
  /** How late reads of this service may show a change. */
  readonly showsAfterMs: number;
  /** Absent = a virtual one, for a service that asks it for the time. */
  readonly clock?: TestClock;
  /** How long one call may take where time is not the subject; ample unless told. */
  readonly timeoutMs?: number;
};

/** The outside, as the suite has to see it to know what really happened. */
export interface TestedService {
  /** On loopback. */
  readonly port: number;
  /** How many changes were made there, counted by the service and not by the connector. */
  changeCount(): number;
  /** From now on reads show a change only so long after it was made. */
  delayReads(byMs: number): void;
  /** It stops, and comes back at the same port with all that it knew. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** Visibility counts on it. A service with a clock of its own needs one that really waits. */
export interface TestClock {
  nowMs(): number;
  wait(ms: number): Promise<void>;
}

/** Moves only when somebody waits. */
export class VirtualClock implements TestClock {
  #nowMs = 0;

  nowMs(): number {
    return this.#nowMs;
  }

  async wait(ms: number): Promise<void> {
    this.#nowMs += ms;
  }
}
