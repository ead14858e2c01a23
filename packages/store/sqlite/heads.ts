import type { Loaded } from "@holdfast/core";
import type { Connection } from "./connection.ts";
import { loadNeeds } from "./load.ts";

/**
 * Heads as they were read, for the one process that can write: they stay so until there is one
 * more group.
 */
export class Heads {
  readonly #connection: Connection;
  readonly #loaded = new Map<string, Loaded>();
  #groupCount = 0;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  load(workflow: string, groupCount: number): Loaded {
    if (this.#groupCount !== groupCount) this.#loaded.clear();
    this.#groupCount = groupCount;
    const known = this.#loaded.get(workflow);
    if (known !== undefined) return known;
    const found = loadNeeds(this.#connection, workflow, []);
    this.#loaded.set(workflow, found);
    return found;
  }
}
