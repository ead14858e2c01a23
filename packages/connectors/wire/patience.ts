export type Waiting = {
  readonly timeoutMs: number;
  /** Fires when nobody waits any more. */
  readonly signal: AbortSignal;
};

/**
 * Ends what is waited for once it takes too long, or nobody waits any more. A timer and a listener,
 * both taken back at the end: signals made of signals are held weakly, and what is held weakly
 * outlives every small collection of garbage, together with the connection that listens to it.
 */
export class Patience {
  /** Null = it lasts. */
  over: "late" | "left" | null = null;
  readonly #signal: AbortSignal;
  readonly #timer: NodeJS.Timeout;
  readonly #end: (reason: Error) => void;

  constructor({ timeoutMs, signal }: Waiting, end: (reason: Error) => void) {
    this.#signal = signal;
    this.#end = end;
    this.#timer = setTimeout(() => this.#lose("late"), timeoutMs);
    if (signal.aborted) this.#lose("left");
    else signal.addEventListener("abort", this.#leave);
  }

  /** It came, or never will: nothing is ended any more. */
  take(): void {
    clearTimeout(this.#timer);
    this.#signal.removeEventListener("abort", this.#leave);
  }

  readonly #leave = () => this.#lose("left");

  #lose(over: "late" | "left"): void {
    this.take();
    this.over = over;
    this.#end(new Error(over === "late" ? "it took too long" : "nobody waits any more"));
  }
}
