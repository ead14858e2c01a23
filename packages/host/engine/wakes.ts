/** What comes in for a workflow while its owner is at something. */
export class Wakes {
  #count = 0;
  #wake: (() => void) | null = null;

  /** How many there were so far, to be handed to `next`. */
  get count(): number {
    return this.#count;
  }

  add(): void {
    this.#count += 1;
    this.#wake?.();
    this.#wake = null;
  }

  /** When there are more than were seen; at once, if there are. One waits for it at a time. */
  next(seen: number): Promise<void> {
    if (this.#count > seen) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    return promise;
  }
}
