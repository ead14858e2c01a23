/** One look at a time, and not more often than every so many milliseconds. */
export class Looks {
  readonly #look: () => Promise<void>;
  readonly #everyMs: number;
  #timer: NodeJS.Timeout | null = null;
  #isWanted = false;
  #isOver = false;
  #failure: unknown = null;

  constructor(look: () => Promise<void>, everyMs: number) {
    this.#look = look;
    this.#everyMs = everyMs;
  }

  want(): void {
    this.#isWanted = true;
    if (this.#timer === null && !this.#isOver) this.#arm();
  }

  throwIfFailed(): void {
    if (this.#failure !== null) throw this.#failure;
  }

  end(): void {
    this.#isOver = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #arm(): void {
    this.#timer = setTimeout(() => void this.#run(), this.#everyMs);
  }

  async #run(): Promise<void> {
    this.#isWanted = false;
    await this.#look().catch((error: unknown) => {
      this.#failure = error;
    });
    this.#timer = null;
    if (this.#isWanted && !this.#isOver) this.#arm();
  }
}
