import type { CoreCommand, Instant } from "@holdfast/core";
import type { Kernel, OpenIntent } from "@holdfast/core/machine";

/** The word for a call that was not sent in time. */
export const deadline = "deadline";

const nsPerMs = 1_000_000n;

/** Rounded up: a deadline never passes early. Null = it has none. */
export function deadlineMs({ deadlineNs }: OpenIntent): Instant | null {
  return deadlineNs === null ? null : Number((deadlineNs + nsPerMs - 1n) / nsPerMs);
}

export function isPast(intent: OpenIntent, now: Instant): boolean {
  const at = deadlineMs(intent);
  return at !== null && at <= now;
}

/**
 * Deadlines of calls that are in the ledger. What is unsent is taken back when they pass; what was
 * sent is settled by its outcome, whenever that is known. Each is said once.
 */
export class Deadlines {
  readonly #said = new Set<string>();

  /** `unrecorded` are not in the ledger yet: they are refused when it is their turn. */
  passed(kernel: Kernel, now: Instant, unrecorded: readonly string[]): readonly CoreCommand[] {
    const waiting = new Set(unrecorded);
    const commands: CoreCommand[] = [];
    for (const intent of kernel.intents.values()) {
      const { id: intentId } = intent;
      if (!this.#counts(intent) || waiting.has(intentId) || !isPast(intent, now)) continue;
      this.#said.add(intentId);
      commands.push({ kind: "withdraw_intent", intentId, note: deadline });
    }
    for (const id of this.#said) if (!kernel.intents.has(id)) this.#said.delete(id);
    return commands;
  }

  /** When the next one passes; null = none does. */
  next(kernel: Kernel): Instant | null {
    let next: Instant | null = null;
    for (const intent of kernel.intents.values()) {
      const at = this.#counts(intent) ? deadlineMs(intent) : null;
      if (at !== null && (next === null || at < next)) next = at;
    }
    return next;
  }

  #counts({ id, kind }: OpenIntent): boolean {
    return kind === "mutation" && !this.#said.has(id);
  }
}
