import type { Policy } from "../policy/policy.ts";
import type { Instant } from "../view/rows.ts";

/**
 * A script's wish to be woken: clamped to the host's bounds, so that it can neither spin nor
 * sleep for ever. null clears a stored wish; NaN is a value that made no sense and is ignored.
 */
export function clampWakeAt(policy: Policy, wish: Instant | null, now: Instant): Instant | null {
  if (wish === null || !Number.isFinite(wish)) return null;
  const earliest = now + policy.wakeDelayMsMin;
  const latest = now + policy.wakeDelayMsMax;
  return Math.round(Math.min(Math.max(wish, earliest), latest));
}
