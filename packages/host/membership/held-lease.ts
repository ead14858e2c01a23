import { actUntil, beatEveryMs, retryBeatMs } from "./lease-time.ts";
import type { LostReason, MembershipOptions } from "./membership-options.ts";

/**
 * One registration and the heartbeats that keep it. Lost as soon as the store says so, or when the
 * monotonic clock passes what was last granted: whoever asks first notices, be it a timer, an
 * answer that came too late or a sender.
 */
export class HeldLease {
  readonly #options: MembershipOptions;
  readonly #onLost: (reason: LostReason) => void;
  #until = Number.NEGATIVE_INFINITY;
  #isOpen = false;
  #causes: unknown[] = [];
  #cancelBeat = (): void => {};
  #cancelEnd = (): void => {};

  constructor(options: MembershipOptions, onLost: (reason: LostReason) => void) {
    this.#options = options;
    this.#onLost = onLost;
  }

  get mayActUntil(): number {
    return this.#isOpen ? this.#until : Number.NEGATIVE_INFINITY;
  }

  /** Throws what the store threw: then this incarnation is not to be used again. */
  async open(): Promise<void> {
    const { store, incarnation, leaseMs, clock } = this.#options;
    const askedAt = clock.monotonicMs();
    await store.openHost({ incarnation, leaseMs });
    this.#isOpen = true;
    this.#extend(askedAt);
    this.#beatIn(beatEveryMs(leaseMs));
  }

  /** Whether anything may be done in its name now. */
  holds(): boolean {
    if (!this.#isOpen) return false;
    if (this.#options.clock.monotonicMs() < this.#until) return true;
    this.#lose({ kind: "lease_ran_out", causes: [...this.#causes] });
    return false;
  }

  /** Ends it on this side; the store still has to be told. */
  end(): void {
    this.#isOpen = false;
    this.#cancelBeat();
    this.#cancelEnd();
  }

  #beatIn(ms: number): void {
    this.#cancelBeat();
    this.#cancelBeat = this.#options.timers.setTimer(ms, () => void this.#beat());
  }

  /** The next one does not wait for this one's answer: a call that hangs must not end the lease. */
  async #beat(): Promise<void> {
    if (!this.holds()) return;
    const { store, incarnation, leaseMs, clock, listener } = this.#options;
    const askedAt = clock.monotonicMs();
    this.#beatIn(beatEveryMs(leaseMs));
    let lives: boolean;
    try {
      lives = await store.heartbeat(incarnation);
    } catch (cause) {
      this.#causes.push(cause);
      listener.onTrouble({ doing: "heartbeat", cause });
      if (this.holds()) this.#beatIn(retryBeatMs(leaseMs));
      return;
    }
    if (!this.holds()) return;
    if (!lives) return this.#lose({ kind: "lease_refused" });
    this.#causes = [];
    this.#extend(askedAt);
  }

  #extend(askedAt: number): void {
    const { leaseMs, clock, timers } = this.#options;
    this.#until = Math.max(this.#until, actUntil({ askedAt, leaseMs }));
    this.#cancelEnd();
    const leftMs = Math.max(0, this.#until - clock.monotonicMs());
    this.#cancelEnd = timers.setTimer(leftMs, () => this.#atEnd());
  }

  /** A timer may be a little early. */
  #atEnd(): void {
    if (!this.holds()) return;
    const leftMs = this.#until - this.#options.clock.monotonicMs();
    this.#cancelEnd = this.#options.timers.setTimer(Math.ceil(leftMs), () => this.#atEnd());
  }

  #lose(reason: LostReason): void {
    this.end();
    this.#onLost(reason);
  }
}
