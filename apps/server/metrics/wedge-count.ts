import type { Instant, Store } from "@holdfast/core";
import { listWedges } from "@holdfast/host";

/** Whoever scrapes more often gets the last count: it goes through all workflows. */
const countedAgainMs = 60_000;
const workflowsPerRead = 100;

export type WedgeCountParts = {
  readonly store: Store;
  readonly now: () => Instant;
  /** Told of each wedge when it is first seen. */
  readonly onWedge: (workflow: string, text: string) => void;
};

/** How many things no rule explains, in all workflows. */
export class WedgeCount {
  readonly #parts: WedgeCountParts;
  #counted: { readonly at: Instant; readonly count: Promise<number> } | null = null;
  #known = new Set<string>();

  constructor(parts: WedgeCountParts) {
    this.#parts = parts;
  }

  /** Fails as the store does, and then looks again next time. */
  async count(): Promise<number> {
    const now = this.#parts.now();
    if (this.#counted === null || now - this.#counted.at >= countedAgainMs) {
      this.#counted = { at: now, count: this.#count(now) };
    }
    const counted = this.#counted;
    try {
      return await counted.count;
    } catch (error) {
      if (this.#counted === counted) this.#counted = null;
      throw error;
    }
  }

  async #count(now: Instant): Promise<number> {
    const { store, onWedge } = this.#parts;
    const found = new Set<string>();
    for (let after: string | null = null; ; ) {
      const page = await store.listWorkflows(after, workflowsPerRead);
      for (const { workflow } of page) {
        for (const { kind, id, note } of await listWedges(store, workflow, now)) {
          const name = `${workflow} ${kind} ${id}`;
          found.add(name);
          if (!this.#known.has(name)) onWedge(workflow, `${kind} ${id}: ${note}`);
        }
      }
      const last = page.at(-1);
      if (!last || page.length < workflowsPerRead) break;
      after = last.workflow;
    }
    this.#known = found;
    return found.size;
  }
}
