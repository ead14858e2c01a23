import type { Timers } from "../membership/time.ts";

/** Whoever asked for work so long ago is likely to be back: it makes the call it was given. */
const presentMs = 5_000;
/** So long a workflow may take to come to the desk with what is expected of it. */
const expectedMsMax = 5_000;

type Asker = { readonly executor: string; readonly reaches: (workflow: string) => boolean };

type Expected = {
  readonly executor: string;
  /** For whom it was begun; undefined = for whoever comes. */
  readonly asker: Asker | undefined;
  readonly ended: Promise<void>;
  readonly end: () => void;
};

/** Who asks for work at the desk, and what is begun for them and does not lie there yet. */
export class Askers {
  readonly #timers: Timers;
  readonly #waiting = new Set<Asker>();
  readonly #present = new Set<Asker>();
  /** By workflow: each sends one thing at a time. */
  readonly #expected = new Map<string, Expected>();
  readonly #cancels = new Set<() => void>();
  #isClosed = false;

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /** The answer ends it. */
  add(asker: Asker): () => void {
    this.#waiting.add(asker);
    this.#present.add(asker);
    return () => {
      this.#waiting.delete(asker);
      if (!this.#isClosed) this.#leaveLater(asker);
    };
  }

  #leaveLater(asker: Asker): void {
    const cancel = this.#timers.setTimer(presentMs, () => {
      this.#cancels.delete(cancel);
      this.#present.delete(asker);
    });
    this.#cancels.add(cancel);
  }

  /** Nobody is expected any more, and no timer keeps the process from its end. */
  close(): void {
    this.#isClosed = true;
    for (const cancel of this.#cancels) cancel();
    for (const workflow of [...this.#expected.keys()]) this.forget(workflow);
  }

  isWaitedAt(executor: string): boolean {
    return [...this.#waiting].some((asker) => asker.executor === executor);
  }

  hasFree(executor: string): boolean {
    const taken = new Set([...this.#expected.values()].map(({ asker }) => asker));
    return [...this.#waiting].some((asker) => asker.executor === executor && !taken.has(asker));
  }

  /** Whether one waits for whom nothing of another workflow is begun. */
  areFree(executor: string, workflow: string): boolean {
    return this.#findFree(executor, workflow) !== undefined;
  }

  #findFree(executor: string, workflow: string): Asker | undefined {
    const others = [...this.#expected].filter(([other]) => other !== workflow);
    const taken = new Set(others.map(([, { asker }]) => asker));
    const isFree = (asker: Asker) => isFor(asker, executor, workflow) && !taken.has(asker);
    return [...this.#waiting].find(isFree);
  }

  werePresent(executor: string, workflow: string): boolean {
    return [...this.#present].some((asker) => isFor(asker, executor, workflow));
  }

  /** Resolves when it has come, or does not come. */
  expect(executor: string, workflow: string): Promise<void> {
    const before = this.#expected.get(workflow);
    if (before?.executor === executor) return before.ended;
    this.forget(workflow);
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    const cancel = this.#timers.setTimer(expectedMsMax, () => this.forget(workflow));
    const end = () => {
      cancel();
      resolve();
    };
    const asker = this.#findFree(executor, workflow);
    this.#expected.set(workflow, { executor, asker, ended, end });
    return ended;
  }

  /** Resolves when nothing is begun for it, by whoever looked. */
  async whatComes(asker: Asker): Promise<void> {
    await [...this.#expected.values()].find((expected) => expected.asker === asker)?.ended;
  }

  forget(workflow: string): void {
    const expected = this.#expected.get(workflow);
    this.#expected.delete(workflow);
    expected?.end();
  }
}

function isFor(asker: Asker, executor: string, workflow: string): boolean {
  return asker.executor === executor && asker.reaches(workflow);
}
