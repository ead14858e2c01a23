import type { CoreCommand, HandlerRow, HostedHandler, Instant } from "@holdfast/core";

type Schedule = Pick<HostedHandler, "nextRunAt">;
type Firing = Pick<HandlerRow, "name" | "nextRunAt" | "catchUp">;
type SkipFiring = Extract<CoreCommand, { kind: "skip_firing" }>;

/** Up to so many missed firings have a fact each; more of them share one that counts them. */
export const firingsOnRecordMax = 100;
/** Counted no further: a fact with this count says "or more". */
export const firingsCountedMax = 1_000;

/**
 * When a handler that runs now is due again. One that catches up is done with every firing there
 * was; one that skips is done with its own, so that the others are put on record.
 */
export function nextFiring(schedule: Schedule, row: Firing, now: Instant): Instant | null {
  const firing = row.nextRunAt ?? now;
  // Run in between, at somebody's wish: it has looked now, and the schedule begins anew from here.
  if (firing > now) return schedule.nextRunAt(now, now);
  return schedule.nextRunAt(row.catchUp === "skip" ? firing : now, firing);
}

/**
 * What a handler that skips has missed: firings that are too late by now, and those whose
 * successor is there already. What is left is at most one firing, and it is in time.
 */
export function missedFirings(
  schedule: Schedule,
  { name: handler, nextRunAt }: Firing,
  { now, lateMsMax }: { readonly now: Instant; readonly lateMsMax: number },
): readonly SkipFiring[] {
  const missed: SkipFiring[] = [];
  for (let dueAt = nextRunAt; dueAt !== null && dueAt <= now; ) {
    const next = schedule.nextRunAt(dueAt, dueAt);
    const isOvertaken = next !== null && next <= now;
    if (now - dueAt <= lateMsMax && !isOvertaken) break;
    missed.push({ kind: "skip_firing", handler, dueAt, firingCount: 1, nextRunAt: next });
    if (missed.length === firingsCountedMax) break;
    dueAt = next;
  }
  const [first] = missed;
  const last = missed.at(-1);
  if (first === undefined || last === undefined || missed.length <= firingsOnRecordMax) {
    return missed;
  }
  const isCountedToTheEnd = missed.length < firingsCountedMax;
  const after = isCountedToTheEnd ? last.nextRunAt : schedule.nextRunAt(now, last.dueAt);
  return [{ ...first, firingCount: missed.length, nextRunAt: after }];
}
