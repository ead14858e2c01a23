import type { Instant } from "@holdfast/core";
import type { Kernel, OpenIntent } from "@holdfast/core/machine";
import { timerAtMs } from "./own-effects.ts";

/** Own effects that are due, with those that as many new inputs may ask for. */
const dueMax = 256;

/** Who asks faster than is answered waits, before anything of it is refused for want of room. */
export function roomFor(kernel: Kernel, now: Instant): number {
  let dueCount = 0;
  for (const intent of kernel.intents.values()) {
    if ((dueAtMs(intent, now) ?? now + 1) <= now) dueCount += 1;
  }
  return Math.max(0, dueMax - dueCount);
}

/** Mutations are the ledger's; a canceled timer, a read and a blob want their turn at once. */
export function dueAtMs(intent: OpenIntent, now: Instant): Instant | null {
  const { kind, params, cancelAsked } = intent;
  if (kind === "mutation") return null;
  return kind === "timer" && !cancelAsked ? timerAtMs(params) : now;
}
