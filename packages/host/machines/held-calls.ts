import type { CommitFrame, HeldIntent, Instant } from "@holdfast/core";
import type { OpenIntent } from "@holdfast/core/machine";
import { isPast } from "./deadlines.ts";

/** Why a call is not recorded, and when to look again by the clock alone; null = never. */
export type Held = HeldIntent & { readonly until: Instant | null };

/**
 * Calls that grants do not let through. They are judged again when other grants are in force or a
 * limit may have room; until then nobody has to look at each of them in every turn.
 */
export class HeldCalls {
  readonly #held = new Map<string, Held>();
  /** Whether who is asked about may be others than before. */
  #isChanged = true;

  /** What is known of it still holds. */
  stands(intent: OpenIntent, { envelope, now }: { envelope: number; now: Instant }): boolean {
    const known = this.#held.get(intent.id);
    if (known === undefined || intent.cancelAsked || isPast(intent, now)) return false;
    return known.envelope === envelope && (known.until === null || known.until > now);
  }

  add(held: Held): void {
    this.#held.set(held.intentId, held);
    this.#isChanged = true;
  }

  /** Of those that are left; whoever has gone on or is gone is not held any more. */
  keepOnly(left: readonly string[]): void {
    const ids = new Set(left);
    for (const id of this.#held.keys()) {
      if (ids.has(id)) continue;
      this.#held.delete(id);
      this.#isChanged = true;
    }
  }

  /** How many of what is left wait for nothing that a turn could do now. */
  get count(): number {
    return this.#held.size;
  }

  /** When the first limit may have room; null = none will of itself. */
  get due(): Instant | null {
    const all = [...this.#held.values()].flatMap(({ until }) => until ?? []);
    return all.length === 0 ? null : Math.min(...all);
  }

  /** For the change that keeps the frame, in the order of `left`. */
  tell(left: readonly string[]): Pick<CommitFrame, "held"> {
    // Those that nobody has judged yet have their turn, and then all of them are told.
    if (!this.#isChanged || left.length > this.#held.size) return {};
    this.#isChanged = false;
    return { held: left.flatMap((id) => (this.#held.get(id) ?? []) as readonly Held[]) };
  }
}
