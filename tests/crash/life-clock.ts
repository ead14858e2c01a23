import type { Instant } from "@holdfast/core";

/** Each life begins when every lease and every wait of the one before is long over. */
const lifeMs = 86_400_000;

/** Time that passes only when somebody looks at it, or has nothing to do but wait. */
export class LifeClock {
  #now: Instant;

  constructor(life: number) {
    this.#now = life * lifeMs;
  }

  readonly now = (): Instant => {
    this.#now += 1;
    return this.#now;
  };

  passTo(instant: Instant): void {
    this.#now = Math.max(this.#now, instant);
  }
}
