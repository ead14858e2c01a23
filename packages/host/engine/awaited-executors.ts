import { isOfIntent, type View } from "@holdfast/core";
import type { LoopParts } from "./loop-parts.ts";

/** Of one workflow: calls that another process makes, and whether one is there to make them. */
export class AwaitedExecutors {
  readonly #parts: Pick<LoopParts, "desk" | "outside" | "owner">;

  constructor(parts: Pick<LoopParts, "desk" | "outside" | "owner">) {
    this.#parts = parts;
  }

  /** Whether a call that waits for it goes on here and now. */
  asks(executor: string): boolean {
    const { desk, owner } = this.#parts;
    return desk === undefined || desk.asks(executor, owner.workflow);
  }

  /**
   * Who would have to be there to take the call, and is not; null = it can be begun. One that has
   * waited before goes only to somebody who is there: it would be begun in vain again and again.
   */
  absentFor(view: View, mutationId: string): string | null {
    const { desk, outside, owner } = this.#parts;
    const { workflow } = owner;
    const mutation = view.load("mutations", mutationId);
    if (desk === undefined || !isOfIntent(view.load("runs", mutation.runId))) return null;
    const executor = outside.executorOf?.(mutation) ?? null;
    if (executor === null) return null;
    const hasWaited = mutation.awaitsExecutor !== null;
    const isThere = hasWaited ? desk.asks(executor, workflow) : desk.isPresent(executor, workflow);
    if (!isThere) return executor;
    void desk.expect(executor, workflow);
    return null;
  }
}
