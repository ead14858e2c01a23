import type { Store } from "@holdfast/core";
import type { MonotonicClock, Timers } from "@holdfast/host";
import type { ReadyAnswer } from "@holdfast/protocol";

/** A store that takes longer serves nobody. */
const answerMsMax = 2_000;
/** Anyone may ask as often as they like; the store is asked no more often than this. */
const keptMs = 1_000;

export type ReadinessParts = {
  readonly store: Pick<Store, "listWorkflows">;
  readonly clock: MonotonicClock;
  readonly timers: Timers;
  readonly work: () => ReadyAnswer["work"];
};

type StoreState = ReadyAnswer["store"];
type Look = { readonly state: Promise<StoreState>; endedAt: number | null };

/** Whether this host can do its work now, and if not, what is missing. */
export class Readiness {
  readonly #parts: ReadinessParts;
  #look: Look | null = null;

  constructor(parts: ReadinessParts) {
    this.#parts = parts;
  }

  async answer(): Promise<ReadyAnswer> {
    const store = await this.#storeState();
    const work = this.#parts.work();
    return { ready: store === "ok" && work === "working", store, work };
  }

  async #storeState(): Promise<StoreState> {
    const { promise: tooLong, resolve } = Promise.withResolvers<StoreState>();
    const cancel = this.#parts.timers.setTimer(answerMsMax, () => resolve("away"));
    const state = await Promise.race([this.#lookOnce(), tooLong]);
    cancel();
    return state;
  }

  /** One that hangs is waited for by everybody: a second would hang beside it. */
  #lookOnce(): Promise<StoreState> {
    const { store, clock } = this.#parts;
    const endedAt = this.#look?.endedAt ?? null;
    const isOld = endedAt !== null && clock.monotonicMs() - endedAt >= keptMs;
    if (this.#look !== null && !isOld) return this.#look.state;
    const read = store.listWorkflows(null, 1).then(
      () => "ok" as const,
      () => "away" as const,
    );
    const look: Look = { state: read, endedAt: null };
    void read.then(() => {
      look.endedAt = clock.monotonicMs();
    });
    this.#look = look;
    return read;
  }
}
