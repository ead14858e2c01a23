import {
  type CanonicalValue,
  decodeCanonical,
  encodeCanonical,
  pinPayload,
  type SendOutcome,
} from "@holdfast/core";
import type { Finding, OutsideWorld, ReadOutcome, SentCall } from "@holdfast/host";
import { plainCall, type Random, type VirtualProcess } from "@holdfast/host/testing";

const bookTimeoutMs = 10_000;

/** Of one host: it stands still when the host does. */
type Wait = (ms: number) => Promise<void>;

type Fate = "works" | "answer lost" | "request lost" | "refused" | "late" | "hangs";

/** What the shop offers to those who lost an answer: nothing, a look, or telling repeats by key. */
export type Manner = "asks you" | "verified" | "by key";

const visibilityDelayMs = 3_000;

const guarantees = {
  "asks you": {},
  verified: { canReconcile: true, visibilityDelayMs },
  "by key": { retentionMs: 86_400_000 },
} as const satisfies Readonly<Record<Manner, object>>;

/** A booking as it reached the shop. */
export type Booking = {
  readonly id: string;
  readonly key: string;
  /** Of all that was sent, byte for byte. */
  readonly payloadHash: string;
};

/**
 * The outside: one shop for all hosts, which goes on when they die. Requests take their time on the
 * way, are lost, or do their work and lose the answer.
 */
export class Shop {
  readonly bookings: Booking[] = [];
  readonly orders: { readonly id: string }[] = [];
  readonly onBooking: (booking: Booking) => void;
  /** Questions that were answered with a booking. */
  foundCount = 0;
  /** Requests that came again under the key of a booking. */
  repeatCount = 0;
  /** Share of requests that something happens to. */
  trouble = 0.3;
  readonly #process: VirtualProcess;
  readonly #random: Random;
  readonly #manner: Manner;
  /** Bookings that a look does not show yet. */
  readonly #hidden = new Set<Booking>();

  constructor(parts: {
    readonly manner: Manner;
    readonly process: VirtualProcess;
    readonly random: Random;
    readonly onBooking: (booking: Booking) => void;
  }) {
    this.#manner = parts.manner;
    this.#process = parts.process;
    this.#random = parts.random;
    this.onBooking = parts.onBooking;
  }

  /** The way of one host to it. `wait` is that host's own: it stands still when the host does. */
  asSeenBy(wait: Wait): OutsideWorld {
    return {
      read: async () => this.#list(wait),
      describe: (call) => ({ ...plainCall(call, bookTimeoutMs), ...guarantees[this.#manner] }),
      send: (call, mayGo) => this.#book(call, mayGo, wait),
      reconcile: (call) => this.#find(call, wait),
    };
  }

  async #list(wait: Wait): Promise<ReadOutcome> {
    await wait(this.#random.between(1, 200));
    if (this.#random.chance(this.trouble / 2)) {
      const failure = { class: "transient", message: "not now", location: "" } as const;
      return { says: "failed", failure, retryAt: null };
    }
    return { says: "value", value: JSON.stringify(this.orders) };
  }

  async #find({ providerKey: key }: SentCall, wait: Wait): Promise<Finding> {
    await wait(this.#random.between(1, 500));
    if (this.#random.chance(this.trouble / 2)) return { says: "unreachable", note: "not now" };
    if (this.#random.chance(this.trouble / 4)) throw new Error("nonsense");
    const index = this.bookings.findIndex((booking) => booking.key === key);
    const booking = this.bookings[index];
    const isShown = booking !== undefined && !this.#hidden.has(booking);
    if (isShown) this.foundCount += 1;
    if (!isShown) return { says: "not_found", note: "there is no such booking" };
    return { says: "applied", result: encodeCanonical({ number: index + 1 }) };
  }

  async #book(
    { payload, providerKey: key }: SentCall,
    mayGo: () => boolean,
    wait: Wait,
  ): Promise<SendOutcome | { readonly says: "unsent" }> {
    // Between the last commit and the first byte a process may stand still for any time.
    const isSlow = this.#random.chance(this.trouble / 6);
    await wait(this.#random.between(0, isSlow ? 60_000 : 50));
    if (!mayGo()) return { says: "unsent" };
    const { id } = decodeCanonical(payload) as { readonly id: string };
    const fate = this.#fate();
    const payloadHash = pinPayload(payload).payload.hash;
    const answered = this.#underWay(fate, { id, key, payloadHash });
    // A connector that keeps to no time: what it says comes when nobody waits any more.
    if (fate === "hangs") return answered.then((outcome) => wait(60_000).then(() => outcome));
    return Promise.race([
      answered.then(async (outcome) => {
        await wait(1);
        return outcome;
      }),
      wait(bookTimeoutMs).then((): SendOutcome => ({ says: "unknown", note: "no answer" })),
    ]);
  }

  #fate(): Fate {
    if (!this.#random.chance(this.trouble)) return "works";
    return this.#random.pick<Fate>(["answer lost", "request lost", "refused", "late", "hangs"]);
  }

  /** Its number. One that tells repeats by their key gives the first one's. */
  #take(booking: Booking): number {
    const known = this.bookings.findIndex(({ key }) => key === booking.key) + 1;
    if (known > 0 && this.#manner === "by key") {
      this.repeatCount += 1;
      return known;
    }
    this.bookings.push(booking);
    this.#hidden.add(booking);
    const hiddenMs = this.#random.between(0, visibilityDelayMs - 1);
    this.#process.timers.setTimer(hiddenMs, () => this.#hidden.delete(booking));
    this.onBooking(booking);
    return this.bookings.length;
  }

  /** On its way, whatever becomes of the host that sent it. */
  #underWay(fate: Fate, booking: Booking): Promise<SendOutcome> {
    const ms = fate === "late" ? bookTimeoutMs - 1 : this.#random.between(1, 300);
    return new Promise((answer) => {
      this.#process.timers.setTimer(ms, () => {
        if (fate === "request lost") return;
        if (fate === "refused") {
          const failure = { class: "transient", message: "refused", location: "" } as const;
          return answer({ says: "failed", failure, jitter: 0 });
        }
        const result = encodeCanonical({ number: this.#take(booking) } as CanonicalValue);
        if (fate !== "answer lost") answer({ says: "applied", result });
      });
    });
  }
}
