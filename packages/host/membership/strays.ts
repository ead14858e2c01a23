import type { Owned, WorkflowSummary } from "@holdfast/core";
import type { Holdings } from "./holdings.ts";
import type { MembershipOptions } from "./membership-options.ts";
import type { Called, StoreCaller } from "./store-caller.ts";

const pageMax = 500;

/**
 * Workflows that the store counts as this host's while the host does not know them: the answer to
 * a claim was lost, or to a release. Nobody would run them for as long as this host lives, so they
 * are looked for and let go.
 */
export class Strays {
  readonly #options: MembershipOptions;
  readonly #holdings: Holdings;
  readonly #caller: StoreCaller;
  #searchAt: number | null = null;

  constructor(options: MembershipOptions, parts: { holdings: Holdings; caller: StoreCaller }) {
    this.#options = options;
    this.#holdings = parts.holdings;
    this.#caller = parts.caller;
  }

  /**
   * A lease later, as if the host had died: until then the call whose answer was lost may still be
   * carried out.
   */
  expect(): void {
    this.#searchAt = this.#options.clock.monotonicMs() + this.#options.leaseMs;
  }

  /** Not beside a claim: what it was just given is not known yet and would be let go. */
  async searchIfDue(): Promise<void> {
    const searchAt = this.#searchAt;
    if (searchAt === null || this.#options.clock.monotonicMs() < searchAt) return;
    const found = await this.#find();
    if (found === null) return;
    // What goes wrong from here on is expected anew.
    this.#searchAt = null;
    for (const owned of found) await this.release(owned);
  }

  /** The ownership has ended before; if the store cannot be told now, it is told later. */
  async release(owned: Owned): Promise<void> {
    const { store, incarnation } = this.#options;
    const released = await this.#caller.call("release", () => store.release(incarnation, owned));
    if (!released.ok) this.expect();
  }

  /** Null = not all could be looked at. */
  async #find(): Promise<readonly Owned[] | null> {
    const { store, incarnation } = this.#options;
    const found: Owned[] = [];
    let after: string | null = null;
    for (;;) {
      const from: string | null = after;
      const page: Called<readonly WorkflowSummary[]> = await this.#caller.call(
        "listWorkflows",
        () => store.listWorkflows(from, pageMax),
      );
      if (!page.ok) return null;
      for (const { workflow, owner, epoch } of page.value) {
        const isStray = owner === incarnation && !this.#holdings.has(workflow);
        if (isStray) found.push({ workflow, epoch });
      }
      if (page.value.length < pageMax) return found;
      after = page.value.at(-1)?.workflow ?? null;
    }
  }
}
