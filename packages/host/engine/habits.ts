import type { GuestCall, JsonText } from "@holdfast/core";

/**
 * What the handlers of one workflow asked for first when they were last run. A guess and no more:
 * it saves a way to the script and back when it is right, and one look at a topic when it is not.
 */
export class Habits {
  readonly #firstPeeks = new Map<string, JsonText>();

  note(handler: string, first: GuestCall | null): void {
    if (first?.name === "ctx.peek") this.#firstPeeks.set(handler, first.params);
    else this.#firstPeeks.delete(handler);
  }

  /** Parameters of the peek; null = it begins with something else, or nobody knows yet. */
  firstPeek(handler: string): JsonText | null {
    return this.#firstPeeks.get(handler) ?? null;
  }
}
