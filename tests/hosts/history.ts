import type { HistoryLine, Nanos } from "./history-line.ts";

/** Nothing takes longer than this, even on a very busy machine, unless it is stuck. */
const patienceMs = 180_000;
const lookEveryMs = 20;
const troublesKept = 20;

export type ToldLine = HistoryLine & { readonly host: string };

/** What is known of a host from its own words so far. */
export class HostWords {
  incarnation: string | null = null;
  /** Until when it would act. */
  until: Nanos = 0;
  believedAt: Nanos = 0;
  joinedCount = 0;
  lostCount = 0;
  askedCount = 0;
  committedCount = 0;
  refusedCount = 0;
  unknownCount = 0;
  stoppedAt: string | null = null;
  continuedAt: Nanos | null = null;
  isFinished = false;
  /** The epoch of every workflow that it has claimed and not let go. */
  readonly held = new Map<string, number>();
  readonly passed = new Set<string>();

  get isMember(): boolean {
    return this.incarnation !== null;
  }

  add(line: HistoryLine): void {
    switch (line.kind) {
      case "joined":
        this.joinedCount += 1;
        this.incarnation = line.incarnation;
        return;
      case "claimed":
        // An answer that came when its incarnation was over is nobody's.
        if (line.incarnation === this.incarnation) this.held.set(line.workflow, line.epoch);
        return;
      case "releasing":
        if (line.workflow === null) this.held.clear();
        else this.held.delete(line.workflow);
        return;
      case "lost":
        this.lostCount += 1;
        this.incarnation = null;
        this.held.clear();
        return;
      case "answered":
        return this.#count(line.answer);
      case "asked":
        this.askedCount += 1;
        return;
      default:
        return this.#note(line);
    }
  }

  #count(answer: string): void {
    if (answer === "committed") this.committedCount += 1;
    if (answer === "lease_lost") this.refusedCount += 1;
    if (answer === "unknown") this.unknownCount += 1;
  }

  #note(line: HistoryLine): void {
    if (line.kind === "believes") {
      this.until = line.until;
      this.believedAt = line.at;
    }
    if (line.kind === "passed") this.passed.add(line.hook);
    if (line.kind === "stopping") this.stoppedAt = line.hook;
    if (line.kind === "continued") {
      this.stoppedAt = null;
      this.continuedAt = line.at;
    }
    if (line.kind === "finished") this.isFinished = true;
  }
}

type Waiting = {
  readonly isTrue: () => boolean;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
};

/** All that the hosts of one run have said, and a way to wait for what they will say. */
export class History {
  readonly lines: ToldLine[] = [];
  /** The latest ownership of every workflow that anybody has told of. */
  readonly owners = new Map<string, { readonly host: string; readonly epoch: number }>();
  readonly #words = new Map<string, HostWords>();
  readonly #waiting = new Set<Waiting>();
  readonly #troubles: string[] = [];
  #fault: Error | null = null;

  wordsOf(host: string): HostWords {
    const words = this.#words.get(host) ?? new HostWords();
    this.#words.set(host, words);
    return words;
  }

  add(host: string, line: HistoryLine): void {
    if (line.kind === "trouble") this.#noteTrouble(`${host}: ${line.doing}: ${line.note}`);
    else this.lines.push({ ...line, host });
    this.wordsOf(host).add(line);
    if (line.kind === "claimed") {
      const { workflow, epoch } = line;
      if (epoch > (this.owners.get(workflow)?.epoch ?? 0))
        this.owners.set(workflow, { host, epoch });
    }
    this.#look();
  }

  /** Others have told of later ownerships of them all. */
  areTaken(owned: ReadonlyMap<string, number>): boolean {
    const isTaken = ([workflow, epoch]: [string, number]) =>
      (this.owners.get(workflow)?.epoch ?? 0) > epoch;
    return [...owned].every(isTaken);
  }

  /** A host did what no host may do: whoever waits for anything need not wait any longer. */
  fail(note: string): void {
    this.#fault ??= new Error(note);
    for (const { reject } of this.#waiting) reject(this.#fault);
    this.#waiting.clear();
  }

  sum(what: (words: HostWords) => number): number {
    return [...this.#words.values()].reduce((sum, words) => sum + what(words), 0);
  }

  /** Resolves in the same turn in which a line makes it true. */
  async until(what: string, isTrue: () => boolean): Promise<void> {
    if (this.#fault !== null) throw this.#fault;
    if (isTrue()) return;
    await new Promise<void>((resolve, reject) => {
      const waiting: Waiting = { isTrue, resolve: end(resolve), reject: end(reject) };
      // What depends on the clock comes true without a line.
      const look = setInterval(() => this.#look(), lookEveryMs);
      const late = setTimeout(() => waiting.reject(this.#late(what)), patienceMs);
      this.#waiting.add(waiting);
      function end<T extends unknown[]>(settle: (...values: T) => void): (...values: T) => void {
        return (...values) => {
          clearInterval(look);
          clearTimeout(late);
          settle(...values);
        };
      }
    });
  }

  #look(): void {
    for (const waiting of this.#waiting) {
      if (!waiting.isTrue()) continue;
      this.#waiting.delete(waiting);
      waiting.resolve();
    }
  }

  #noteTrouble(note: string): void {
    this.#troubles.push(note);
    if (this.#troubles.length > troublesKept) this.#troubles.shift();
  }

  #late(what: string): Error {
    const hosts = [...this.#words].map(([host, { held, joinedCount, stoppedAt }]) => {
      return `${host} owns ${held.size}, joined ${joinedCount} times, stopped at ${stoppedAt}`;
    });
    const troubles = this.#troubles.join("\n");
    return new Error(`in vain waited for: ${what}\n${hosts.join("\n")}\n${troubles}`);
  }
}
