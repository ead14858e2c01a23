import { appendFileSync, existsSync, readFileSync } from "node:fs";

/**
 * The world beyond the host, as a file that only grows: one line per change that was really made.
 * It survives the host and can be asked afterwards what happened.
 */
export class Outside {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  change(mutationKey: string): void {
    appendFileSync(this.#path, `${mutationKey}\n`);
  }

  changes(): readonly string[] {
    if (!existsSync(this.#path)) return [];
    return readFileSync(this.#path, "utf8").split("\n").slice(0, -1);
  }
}
