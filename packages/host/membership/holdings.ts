import type { Claim } from "@holdfast/core";
import type { HeldLease } from "./held-lease.ts";
import { Ownership } from "./ownership.ts";

/** What this host owns, as far as it knows. */
export class Holdings {
  readonly #ownerships = new Map<string, Ownership>();
  readonly #lease: HeldLease;

  constructor(lease: HeldLease) {
    this.#lease = lease;
  }

  get size(): number {
    return this.#ownerships.size;
  }

  has(workflow: string): boolean {
    return this.#ownerships.has(workflow);
  }

  workflows(): readonly string[] {
    return [...this.#ownerships.keys()];
  }

  add(claim: Claim): Ownership {
    const ownership = new Ownership(claim, this.#lease);
    this.#ownerships.set(claim.workflow, ownership);
    return ownership;
  }

  /** False when it had ended before, or was another ownership of the same workflow. */
  end({ workflow, epoch }: Pick<Claim, "workflow" | "epoch">): boolean {
    const ownership = this.#ownerships.get(workflow);
    if (ownership?.epoch !== epoch) return false;
    ownership.end();
    return this.#ownerships.delete(workflow);
  }

  /** The first so many that may go; all of them have ended when this returns. */
  endSome(count: number, mayGo: (workflow: string) => boolean): readonly Ownership[] {
    const gone: Ownership[] = [];
    for (const ownership of [...this.#ownerships.values()]) {
      if (gone.length >= count) break;
      if (!mayGo(ownership.workflow)) continue;
      this.end(ownership);
      gone.push(ownership);
    }
    return gone;
  }

  endAll(): void {
    for (const ownership of this.#ownerships.values()) ownership.end();
    this.#ownerships.clear();
  }
}
