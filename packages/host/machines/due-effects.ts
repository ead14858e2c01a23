import type { Instant } from "@holdfast/core";
import type { Kernel } from "@holdfast/core/machine";
import type { HeldCalls } from "./held-calls.ts";
import { dueOf } from "./own-effects.ts";

/**
 * Own effects that are due, with those that as many new inputs may ask for. With what the last
 * turns of a frame may open beyond it, it stays under what may be open at once (open-kernel.ts).
 */
const dueMax = 512;

/** Who asks faster than is answered waits, before anything of it is refused for want of room. */
export function roomFor(kernel: Kernel, now: Instant, held: HeldCalls): number {
  let dueCount = 0;
  for (const intent of kernel.intents.values()) {
    // A person is asked about it: nobody is faster than that.
    if (held.has(intent.id)) continue;
    if ((dueOf(intent, now) ?? now + 1) <= now) dueCount += 1;
  }
  return Math.max(0, dueMax - dueCount);
}
