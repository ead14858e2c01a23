import type { MutationRow } from "@holdfast/core";

/** Forgetting one only means that it is counted anew, which is later and never wrong. */
const keptMax = 10_000;

type Since = { readonly sendCount: number; readonly sinceMs: number };

/**
 * How long nobody can have been sending a call any more, on this process's own clock: a wall clock
 * may jump, and what another process has counted is not known here. Lives as long as the process.
 */
export class QuietTimes {
  /** By call: since when, of the send that was counted last. */
  readonly #since = new Map<string, Since>();
  /** How many sends of a call were given up on and have not ended: they may be sending still. */
  readonly #unended = new Map<string, number>();

  /**
   * Begins when it is first asked for, and then only after `busyMs`, in which somebody may still be
   * sending. What is sent again is counted anew, and not before whoever sent it earlier is done.
   */
  countMs(
    workflow: string,
    { mutationId, sendCount }: MutationRow,
    { nowMs, busyMs }: { readonly nowMs: number; readonly busyMs: number },
  ): number {
    const key = `${workflow} ${mutationId}`;
    if (this.#unended.has(key)) return 0;
    const known = this.#since.get(key);
    if (known?.sendCount === sendCount) return Math.max(0, Math.floor(nowMs - known.sinceMs));
    const sinceMs = Math.max(nowMs + busyMs, known?.sinceMs ?? 0);
    this.#keep(key, { sendCount, sinceMs });
    return 0;
  }

  /** Nothing is quiet until this has ended, however long that takes. */
  waitFor(workflow: string, { mutationId }: MutationRow, sending: Promise<unknown>): void {
    const key = `${workflow} ${mutationId}`;
    this.#unended.set(key, (this.#unended.get(key) ?? 0) + 1);
    void sending.finally(() => {
      const left = (this.#unended.get(key) ?? 1) - 1;
      if (left === 0) this.#unended.delete(key);
      else this.#unended.set(key, left);
    });
  }

  #keep(key: string, since: Since): void {
    const [oldest] = this.#since.keys();
    if (this.#since.size >= keptMax && oldest !== undefined) this.#since.delete(oldest);
    this.#since.set(key, since);
  }
}
