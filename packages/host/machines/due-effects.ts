import type { Instant } from "@holdfast/core";
import type { OpenIntent } from "@holdfast/core/machine";
import type { HeldCalls } from "./held-calls.ts";
import { openIntentsMax } from "./open-kernel.ts";
import { dueOf } from "./own-effects.ts";

/** Own effects that are due, with those that as many new inputs may ask for. */
const dueMax = 512;
/** So many inputs have room however much is open: what is open ends with some of them. */
const roomLeast = 64;
/** What the last turn of a frame may open beyond what it was given room for. */
const beyondMax = 64;

type Open = Pick<OpenIntent, "id" | "kind" | "params" | "cancelAsked">;

/** Who asks faster than is answered waits, before anything of it is refused for want of room. */
export function roomFor(
  { intents }: { readonly intents: ReadonlyMap<string, Open> },
  now: Instant,
  held: Pick<HeldCalls, "has">,
): number {
  let dueCount = 0;
  for (const intent of intents.values()) {
    // A person is asked about it: nobody is faster than that.
    if (held.has(intent.id)) continue;
    if ((dueOf(intent, now) ?? now + 1) <= now) dueCount += 1;
  }
  const openable = openIntentsMax - intents.size - beyondMax;
  return Math.max(0, Math.min(dueMax - dueCount, Math.max(roomLeast, openable)));
}
