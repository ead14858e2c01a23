import { ConnectorError } from "./connector-error.ts";

/** A token as its service gave it. */
export type GivenToken = {
  readonly token: string;
  /** Null = the service did not say. */
  readonly lastsMs: number | null;
};

type Held = GivenToken & {
  /** On the monotonic clock; from then on it is better to have another. */
  readonly renewAtMs: number;
  readonly overAtMs: number;
  isAccepted: boolean;
};

export type RenewedTokenParts = {
  /**
   * Asks for a new one. Throws ConnectorError with `committed: "no"`: nothing but the token was
   * asked for, and class `auth` if it is refused.
   */
  readonly renew: () => Promise<GivenToken>;
  readonly monotonicMs?: () => number;
  /** How long one call waits; what is asked for is there for the next one. */
  readonly waitMsMax?: number;
};

/** A call that may be sent has to leave within five seconds: later, a token is of no use to it. */
const waitMsDefault = 4_000;
/** What was given long ago is not repeated by anybody any more. */
const seenMax = 10;

/** So long before its end a token is renewed; half its time if that is less. */
const renewBeforeMs = 300_000;

/**
 * The token of one account, for all calls of a host. However many need a new one at once, it is
 * asked for once, and what came of it is told to all of them.
 */
export class RenewedToken {
  readonly #parts: RenewedTokenParts;
  readonly #seen: string[] = [];
  #held: Held | null = null;
  #renewing: Promise<Held> | null = null;

  constructor(parts: RenewedTokenParts) {
    this.#parts = parts;
  }

  /** The last tokens there were; none of them may be shown. */
  get seen(): readonly string[] {
    return this.#seen;
  }

  /** Throws when `signal` fires; whoever else waits for it goes on. */
  async get(signal: AbortSignal): Promise<string> {
    const held = this.#held;
    if (held !== null && this.#nowMs() < held.renewAtMs) return held.token;
    this.#renewing ??= this.#renew();
    const patience = AbortSignal.timeout(this.#parts.waitMsMax ?? waitMsDefault);
    const until = AbortSignal.any([signal, patience]);
    const renewed = await unless(until, this.#renewing).catch((error: unknown) => {
      // It is good for a while; whoever gives tokens may be back by then.
      if (held !== null && isPassing(error) && this.#nowMs() < held.overAtMs) return held;
      throw error;
    });
    return renewed.token;
  }

  /** The service took it. */
  accepted(token: string): void {
    if (this.#held?.token === token) this.#held.isAccepted = true;
  }

  /** The service did not take it. True = another may do: this one was good once, or is gone. */
  refused(token: string): boolean {
    const held = this.#held;
    if (held?.token !== token) return true;
    this.#held = null;
    return held.isAccepted;
  }

  async #renew(): Promise<Held> {
    const sinceMs = this.#nowMs();
    try {
      const given = await this.#parts.renew();
      const { lastsMs } = given;
      const lasts = lastsMs ?? Number.POSITIVE_INFINITY;
      const renewAtMs = sinceMs + lasts - Math.min(renewBeforeMs, lasts / 2);
      const held = { ...given, renewAtMs, overAtMs: sinceMs + lasts, isAccepted: false };
      this.#seen.push(given.token);
      if (this.#seen.length > seenMax) this.#seen.shift();
      this.#held = held;
      return held;
    } finally {
      this.#renewing = null;
    }
  }

  #nowMs(): number {
    return (this.#parts.monotonicMs ?? (() => performance.now()))();
  }
}

function isPassing(error: unknown): boolean {
  return error instanceof ConnectorError && error.class === "transient";
}

async function unless<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const left = Promise.withResolvers<never>();
  const onAbort = () => {
    left.reject(new ConnectorError("transient", "no", "there is no token yet"));
  };
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([left.promise, work]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
