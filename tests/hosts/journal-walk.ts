import type { Store } from "@holdfast/core";
import type { ToldLine } from "./history.ts";
import type { AskedLine } from "./history-line.ts";

const recordsPerRead = 1_000;

/**
 * Follows the journal of one workflow while it grows, and compares it with what hosts have asked
 * for and with what was acknowledged to them. Every record must belong to a change that somebody
 * asked for and that is there as a whole.
 */
export class JournalWalk {
  readonly #workflow: string;
  readonly #hashes: string[] = [];
  /** By the head they expected; several hosts may have asked on one head. */
  readonly #asked = new Map<number, AskedLine[]>();
  readonly #acknowledged: { readonly seq: number; readonly hash: string }[] = [];
  /** The head up to which all is explained. */
  #explained = 0;

  constructor(workflow: string) {
    this.#workflow = workflow;
  }

  get recordCount(): number {
    return this.#hashes.length;
  }

  add(line: ToldLine): void {
    if (line.kind === "asked") {
      const asked = this.#asked.get(line.after) ?? [];
      asked.push(line);
      this.#asked.set(line.after, asked);
    }
    if (line.kind === "answered" && line.answer === "committed") this.#acknowledged.push(line);
  }

  /**
   * `isQuiet` = no host lives, so that all that was asked for has been heard of. Otherwise records
   * that nobody is known to have asked for may be explained by a line that is still on its way.
   */
  async check(store: Pick<Store, "readJournal">, isQuiet: boolean): Promise<string[]> {
    const acknowledged = this.#acknowledged.splice(0);
    for (;;) {
      const page = await store.readJournal(this.#workflow, this.#hashes.length, recordsPerRead);
      this.#hashes.push(...page.map(({ hash }) => hash));
      if (page.length < recordsPerRead) break;
    }
    const missing = acknowledged.filter(({ seq, hash }) => this.#hashes[seq - 1] !== hash);
    const problems = missing.map(({ seq }) => `the acknowledged change up to ${seq} is not there`);
    while (this.#explainNext());
    if (isQuiet && this.#explained < this.#hashes.length) {
      problems.push(`what follows ${this.#explained} is no whole change that was asked for`);
    }
    return problems.map((problem) => `${this.#workflow}: ${problem}`);
  }

  #explainNext(): boolean {
    const after = this.#explained;
    const found = this.#asked.get(after)?.find(({ hashes }) => this.#holds(after, hashes));
    if (found === undefined) return false;
    this.#asked.delete(after);
    this.#explained = after + found.hashes.length;
    return true;
  }

  #holds(after: number, hashes: readonly string[]): boolean {
    return hashes.every((hash, index) => this.#hashes[after + index] === hash);
  }
}
