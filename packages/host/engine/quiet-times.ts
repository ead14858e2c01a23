import type { MutationRow } from "@holdfast/core";

/** Forgetting one only means that it is counted anew, which is later and never wrong. */
const keptMax = 10_000;

/**
 * How long nobody can have been sending a call any more, on this process's own clock: a wall clock
 * may jump, and what another process has counted is not known here. Lives as long as the process.
 */
export class QuietTimes {
  readonly #since = new Map<string, number>();
  /** Calls whose connector was given up on and has not ended: it may be sending still. */
  readonly #unended = new Set<string>();

  /**
   * Begins when it is first asked for, and then only after `busyMs`, in which somebody may still be
   * sending. What is sent again is counted anew.
   */
  countMs(
    workflow: string,
    { mutationId, sendCount }: MutationRow,
    { nowMs, busyMs }: { readonly nowMs: number; readonly busyMs: number },
  ): number {
    const key = `${workflow} ${mutationId} ${sendCount}`;
    if (this.#unended.has(key)) return 0;
    const since = this.#since.get(key) ?? this.#keep(key, nowMs + busyMs);
    return Math.max(0, Math.floor(nowMs - since));
  }

  /** Nothing is quiet until this has ended, however long that takes. */
  waitFor(
    workflow: string,
    { mutationId, sendCount }: MutationRow,
    sending: Promise<unknown>,
  ): void {
    const key = `${workflow} ${mutationId} ${sendCount}`;
    this.#unended.add(key);
    void sending.finally(() => this.#unended.delete(key));
  }

  #keep(key: string, sinceMs: number): number {
    const [oldest] = this.#since.keys();
    if (this.#since.size >= keptMax && oldest !== undefined) this.#since.delete(oldest);
    this.#since.set(key, sinceMs);
    return sinceMs;
  }
}
