import {
  aboutOf,
  brakeOnOperation,
  type CommitFrame,
  type HeldIntent,
  type Instant,
  type View,
  waitingSignIns,
} from "@holdfast/core";
import type { OpenIntent } from "@holdfast/core/machine";
import { deadlineMs, isPast } from "./deadlines.ts";

/** Why a call is not recorded, and when to look again by the clock alone; null = never. */
export type Held = HeldIntent & { readonly until: Instant | null };

/** What decides whether a held call still is. */
export type HeldWhile = {
  readonly envelope: number;
  readonly now: Instant;
  /** Which accounts a person is asked to mend, for what: see `waitingSignIns`. */
  readonly signIns: ReadonlySet<string>;
  readonly isBraked: (operation: string) => boolean;
};

export function holdsOf(view: View, now: Instant): HeldWhile {
  const { envelope } = view.load("workflows");
  const isBraked = (operation: string) => brakeOnOperation(view, operation) !== null;
  return { envelope, now, signIns: waitingSignIns(view), isBraked };
}

/**
 * Calls that grants do not let through, reads whose sign-in is refused, and metered ones that a
 * brake holds. They are judged again when other grants are in force, a limit may have room, a
 * person has mended the account, or the brake is off; until then nobody has to look at each of
 * them in every turn.
 */
export class HeldCalls {
  readonly #held = new Map<string, Held>();
  /** Those that the question of a change stands for. */
  #told = new Set<string>();
  /** Whether who is asked about may be others than before. */
  #isChanged = true;

  /** What is known of it still holds. */
  stands(intent: OpenIntent, { envelope, now, signIns, isBraked }: HeldWhile): boolean {
    const known = this.#held.get(intent.id);
    if (known === undefined || intent.cancelAsked || isPast(intent, now)) return false;
    if (known.isBraked === true) return isBraked(known.operation);
    if (known.account !== null) return !this.#told.has(intent.id) || signIns.has(aboutOf(known));
    return known.envelope === envelope && (known.until === null || known.until > now);
  }

  has(intentId: string): boolean {
    return this.#held.has(intentId);
  }

  add(held: Held): void {
    this.#held.set(held.intentId, held);
    this.#told.delete(held.intentId);
    this.#isChanged = true;
  }

  /** It is tried once more. */
  drop(intentId: string): void {
    if (this.#held.delete(intentId)) this.#isChanged = true;
  }

  /** When a read that is held wants its turn all the same: it is canceled, or its time is up. */
  dueOf(intent: OpenIntent, now: Instant): Instant | null {
    return intent.cancelAsked ? now : deadlineMs(intent);
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

  /** Whether each of these waits for nothing that a turn could do now. */
  hasAll(left: readonly string[]): boolean {
    return left.every((id) => this.#held.has(id));
  }

  /** When the first limit may have room; null = none will of itself. */
  get due(): Instant | null {
    return this.dueAfter(Number.NEGATIVE_INFINITY);
  }

  dueAfter(now: Instant): Instant | null {
    const all = [...this.#held.values()].flatMap(({ until }) => until ?? []);
    const later = all.filter((until) => until > now);
    return later.length === 0 ? null : Math.min(...later);
  }

  /** Some are held that were not told; who is left was judged. */
  hasNews(left: readonly string[]): boolean {
    return this.hasAll(left) && left.some((id) => !this.#told.has(id));
  }

  /** For the change that keeps the frame, in the order of `left`. */
  tell(left: readonly string[]): Pick<CommitFrame, "held"> {
    // Those that nobody has judged yet have their turn, and then all of them are told.
    if (!this.#isChanged || !this.hasAll(left)) return {};
    this.#isChanged = false;
    this.#told = new Set(left);
    return { held: left.flatMap((id) => (this.#held.get(id) ?? []) as readonly Held[]) };
  }
}
