import type { Kernel, OpenIntent } from "@holdfast/core/machine";
import type { Timers } from "../membership/time.ts";

/** Something that was begun, in this turn or in one before. */
type Begun<Outcome> = {
  readonly service: string | null;
  readonly giveUp: AbortController;
  ended: { readonly outcome: Outcome } | { readonly error: unknown } | null;
};

type Parts = {
  readonly timers: Timers;
  /** Whom intents go to: the host itself is a service like any other. Null = nobody is asked. */
  readonly serviceOf: (intent: OpenIntent) => string | null;
};

/** What ends a wait, besides answers. */
export type WaitEnds = {
  /** Something was said on the way, or came in. */
  readonly anything: readonly Promise<void>[];
  /** Something else is to be done by then; null = nothing is. */
  readonly ms: number | null;
};

/** Of one service at once: it is not to be flooded, and if it hangs, others are asked meanwhile. */
const atOnceMax = 32;
/** Where others are still at it, what was answered is not kept back for longer. */
export const patienceMs = 10;

/** Intents that somebody is at. They outlive turns: a turn that has something to say ends. */
export class Underway<Outcome> {
  readonly #parts: Parts;
  readonly #begun = new Map<string, Begun<Outcome>>();
  #onEnded: (() => void) | null = null;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get count(): number {
    return this.#begun.size;
  }

  has(intentId: string): boolean {
    return this.#begun.has(intentId);
  }

  /** The oldest of each service, as many as there is room for, and all the others. */
  choose(queue: readonly OpenIntent[], countMax: number): readonly [OpenIntent[], OpenIntent[]] {
    const counts = new Map<string | null, number>();
    const countOf = (service: string | null) => (service === null ? 0 : (counts.get(service) ?? 0));
    const add = (service: string | null) => counts.set(service, countOf(service) + 1);
    for (const { service } of this.#begun.values()) add(service);
    const [next, left]: [OpenIntent[], OpenIntent[]] = [[], []];
    for (const intent of queue) {
      const service = next.length < countMax ? this.#parts.serviceOf(intent) : null;
      if (next.length >= countMax || countOf(service) >= atOnceMax) left.push(intent);
      else {
        add(service);
        next.push(intent);
      }
    }
    return [next, left];
  }

  begin(intent: OpenIntent, work: (signal: AbortSignal) => Promise<Outcome>): void {
    const giveUp = new AbortController();
    const service = this.#parts.serviceOf(intent);
    const begun: Begun<Outcome> = { service, giveUp, ended: null };
    this.#begun.set(intent.id, begun);
    const end = (ended: Begun<Outcome>["ended"]) => {
      begun.ended = ended;
      this.#onEnded?.();
    };
    work(giveUp.signal).then(
      (outcome) => end({ outcome }),
      (error: unknown) => end({ error }),
    );
  }

  /** Of cells that are gone, and of what was canceled: nobody waits for these. */
  giveUpOthers(kernel: Kernel): void {
    for (const [id, { giveUp }] of this.#begun) {
      if (kernel.intents.get(id)?.cancelAsked === false) continue;
      giveUp.abort();
      this.#begun.delete(id);
    }
  }

  /** Whoever was at it is not asked any more. */
  giveUpAll(): void {
    for (const { giveUp } of this.#begun.values()) giveUp.abort();
    this.#begun.clear();
  }

  /** Until all of them are there, or little longer than until the first is. */
  async wait({ anything, ms }: WaitEnds): Promise<void> {
    const over = Promise.withResolvers<void>();
    const { timers } = this.#parts;
    const cancels = ms === null ? [] : [timers.setTimer(ms, over.resolve)];
    let isPatient = false;
    this.#onEnded = () => {
      if (this.#isAllEnded) over.resolve();
      else if (!isPatient) cancels.push(timers.setTimer(patienceMs, over.resolve));
      isPatient = true;
    };
    if (this.#isAnyEnded) this.#onEnded();
    await Promise.race([over.promise, ...anything]);
    this.#onEnded = null;
    for (const cancel of cancels) cancel();
  }

  /** Each once; who has enough leaves the others for the next time. */
  *takeEnded(): Generator<readonly [string, Outcome]> {
    for (const [id, { ended }] of this.#begun) {
      if (ended === null || "error" in ended) continue;
      this.#begun.delete(id);
      yield [id, ended.outcome];
    }
  }

  /**
   * What somebody could not cope with. It waits until nothing else was heard: what others were
   * asked, and perhaps paid for, is not to be lost with it.
   */
  throwEnded(): void {
    for (const [id, { ended }] of this.#begun) {
      if (ended === null || "outcome" in ended) continue;
      this.#begun.delete(id);
      throw ended.error;
    }
  }

  get #isAllEnded(): boolean {
    for (const { ended } of this.#begun.values()) if (ended === null) return false;
    return true;
  }

  get #isAnyEnded(): boolean {
    for (const { ended } of this.#begun.values()) if (ended !== null) return true;
    return false;
  }
}
