import type { Instant } from "@holdfast/core";
import type { OpenIntent } from "@holdfast/core/machine";
import { deadlineMs } from "./deadlines.ts";
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

type Beside = {
  readonly held: Pick<HeldCalls, "dueAfter">;
  readonly isUnderway: (intentId: string) => boolean;
};

/** When the clock brings more of what is done here, or lets go on what is held; null = never. */
export function nextByClock(
  { intents }: { readonly intents: ReadonlyMap<string, OpenIntent> },
  now: Instant,
  { held, isUnderway }: Beside,
): Instant | null {
  const later = (at: Instant | null) => (at === null || at <= now ? null : at);
  const dues = [...intents.values()].map((intent) => {
    if (isUnderway(intent.id)) return null;
    // Until then it waits for room; one that is asked about as well.
    return later(intent.kind === "read" ? deadlineMs(intent) : dueOf(intent, now));
  });
  return earliest(...dues, held.dueAfter(now));
}

export function earliest(...times: readonly (Instant | null)[]): Instant | null {
  return times.reduce(
    (least, at) => (at === null || (least !== null && least < at) ? least : at),
    null,
  );
}
