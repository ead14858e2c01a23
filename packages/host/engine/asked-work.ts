import type { Store } from "@holdfast/core";
import type { MonotonicClock, Timers } from "../membership/time.ts";
import type { WorkDesk } from "./work-desk.ts";

/** Longest that a call lies which another host has left to whoever is asked. */
const lookEveryMs = 1_000;
const pageMax = 100;
/** Of a workflow that was looked at in vain: it is paused, held, or its asker never stays. */
const leaveMsMin = 1_000;
const leaveMsMax = 900_000;

type Parts = {
  readonly store: Pick<Store, "listAwaiting">;
  readonly desk: WorkDesk;
  readonly timers: Timers;
  readonly monotonic: MonotonicClock;
  /** This host works for it from now on, or goes on with it; false = another host does. */
  readonly workFor: (workflow: string) => Promise<boolean>;
  readonly onTrouble: (cause: unknown) => void;
};

/** Each resolves when it lies on the desk, or does not come. */
type Brought = readonly Promise<void>[];

type Left = { readonly count: number; readonly until: number };

/**
 * Finds the calls in the ledger that wait for an executor, for as long as one asks at this host.
 * Only this host can hand them out then, so it takes their workflows to itself. What comes of
 * nothing is left alone for longer and longer; nothing of all this is written down.
 */
export class AskedWork {
  readonly #parts: Parts;
  readonly #looks = new Map<string, Promise<Brought | null>>();
  readonly #left = new Map<string, Left>();
  /** By executor: the workflow that was brought last. */
  readonly #stoppedAt = new Map<string, string>();
  readonly #cancels = new Map<string, () => void>();
  #endWatch = (): void => {};
  #isStopped = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** `own` are those that this host is itself: it may have been another process before. */
  begin(own: readonly string[]): void {
    this.#endWatch = this.#parts.desk.watch({
      onAsked: (executor) => this.#look(executor),
      onHandedOut: (workflow) => this.#left.delete(workflow),
    });
    for (const executor of own) void this.#look(executor);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#endWatch();
    for (const cancel of this.#cancels.values()) cancel();
    await Promise.all(this.#looks.values());
  }

  /** One look at a time. Resolves when what it found lies on the desk, or does not come. */
  #look(executor: string): Promise<void> {
    const before = this.#looks.get(executor) ?? Promise.resolve<Brought | null>([]);
    const looking = before.then(() => this.#tryLook(executor));
    this.#looks.set(executor, looking);
    void looking.then((found) => {
      if (this.#looks.get(executor) !== looking) return;
      this.#looks.delete(executor);
      const isOver = found !== null && !this.#parts.desk.isWaitedAt(executor);
      if (!isOver) this.#lookLater(executor);
    });
    return looking.then(async (found) => {
      await Promise.all(found ?? []);
    });
  }

  /** Another host may leave a call to this one while somebody waits here. */
  #lookLater(executor: string): void {
    this.#cancels.get(executor)?.();
    if (this.#isStopped) return;
    const cancel = this.#parts.timers.setTimer(lookEveryMs, () => void this.#look(executor));
    this.#cancels.set(executor, cancel);
  }

  /** Null = the store could not be asked. */
  async #tryLook(executor: string): Promise<Brought | null> {
    try {
      return await this.#lookOnce(executor);
    } catch (cause) {
      this.#parts.onTrouble(cause);
      return null;
    }
  }

  /** On from where the last one stopped, so that each has its turn, and no further than needed. */
  async #lookOnce(executor: string): Promise<Brought> {
    const { store, desk } = this.#parts;
    const brought: Promise<void>[] = [];
    const begin = this.#stoppedAt.get(executor) ?? null;
    let [after, hasTurned] = [begin, begin === null];
    this.#forgetOld();
    while (!this.#isStopped && desk.hasFree(executor)) {
      const page: readonly string[] = await store.listAwaiting(executor, after, pageMax);
      for (const workflow of page) {
        if (this.#isLeft(workflow) || !desk.asks(executor, workflow)) continue;
        this.#stoppedAt.set(executor, workflow);
        brought.push(this.#bring(executor, workflow));
      }
      const isLast = page.length < pageMax;
      if (isLast && hasTurned) break;
      hasTurned ||= isLast;
      after = isLast ? null : (page.at(-1) ?? null);
    }
    return brought;
  }

  #forgetOld(): void {
    const old = this.#parts.monotonic.monotonicMs() - leaveMsMax;
    for (const [workflow, { until }] of this.#left) if (until < old) this.#left.delete(workflow);
  }

  #isLeft(workflow: string): boolean {
    const left = this.#left.get(workflow);
    return left !== undefined && this.#parts.monotonic.monotonicMs() < left.until;
  }

  async #bring(executor: string, workflow: string): Promise<void> {
    const { desk, workFor, monotonic } = this.#parts;
    const expected = desk.expect(executor, workflow);
    const before = this.#left.get(workflow);
    const count = (before?.count ?? 0) + 1;
    const leaveMs = Math.min(leaveMsMin * 2 ** (count - 1), leaveMsMax);
    // Before anything of it is handed out, which forgets it.
    this.#left.set(workflow, { count, until: monotonic.monotonicMs() + leaveMs });
    if (await workFor(workflow)) return expected;
    desk.forget(workflow);
    // Another host has it for a moment: nothing was tried.
    if (before === undefined) this.#left.delete(workflow);
    else this.#left.set(workflow, before);
  }
}
