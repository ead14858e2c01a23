import { isOfIntent, type OwnerKnows, type View } from "@holdfast/core";
import type { LoopParts } from "./loop-parts.ts";

/** Of one workflow: calls that another process makes, and whether one is there to make them. */
export class AwaitedExecutors {
  readonly #parts: Pick<LoopParts, "desk" | "outside" | "owner">;

  constructor(parts: Pick<LoopParts, "desk" | "outside" | "owner">) {
    this.#parts = parts;
  }

  /**
   * Whether a call that waits for one goes on here and now: only for somebody who is there, since
   * it would be begun in vain again and again for one who comes and goes.
   */
  readonly knows: Pick<OwnerKnows, "asks"> = {
    asks: (executor) => {
      const { desk, owner } = this.#parts;
      return desk === undefined || desk.asks(executor, owner.workflow);
    },
  };

  /** Who would have to be there to take the call, and is not; null = it can be begun. */
  absentFor(view: View, mutationId: string): string | null {
    const { desk, outside, owner } = this.#parts;
    const { workflow } = owner;
    const mutation = view.load("mutations", mutationId);
    if (desk === undefined || !isOfIntent(view.load("runs", mutation.runId))) return null;
    const executor = outside.executorOf?.(mutation) ?? null;
    if (executor === null) return null;
    if (!desk.isPresent(executor, workflow)) return executor;
    void desk.expect(executor, workflow);
    return null;
  }
}
