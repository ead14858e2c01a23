import { appendFileSync, existsSync, readFileSync } from "node:fs";
import type { OutsideLine } from "./history-line.ts";

/**
 * The world beyond the hosts, as a file that only grows: one line per change that was really made,
 * whoever made it. It survives them all and can be asked what happened.
 */
export class OutsideLog {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  change(line: OutsideLine): void {
    appendFileSync(this.#path, `${JSON.stringify(line)}\n`);
  }

  has(mutationKey: string): boolean {
    return this.#read().includes(`"mutationKey":"${mutationKey}"`);
  }

  lines(): readonly OutsideLine[] {
    const texts = this.#read().split("\n").slice(0, -1);
    return texts.map((text) => JSON.parse(text) as OutsideLine);
  }

  #read(): string {
    return existsSync(this.#path) ? readFileSync(this.#path, "utf8") : "";
  }
}
