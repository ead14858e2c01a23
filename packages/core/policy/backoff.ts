import type { Policy } from "./policy.ts";

/** Delay before try number `tryNo` (1 = the first retry): doubling, capped, with jitter on top. */
export function backoffMs(
  tryNo: number,
  limits: { readonly delayMs: number; readonly delayMsMax: number; readonly jitterShare: number },
  /** In [0, 1), sampled by the shell. */
  jitter: number,
): number {
  const doubled = limits.delayMs * 2 ** Math.min(tryNo - 1, 30);
  const capped = Math.min(doubled, limits.delayMsMax);
  return Math.round(capped * (1 + limits.jitterShare * jitter));
}

export function clampRateLimit(policy: Policy, until: number, now: number): number {
  return Math.min(Math.max(until, now + policy.rateLimitMsMin), now + policy.rateLimitMsMax);
}

export function transientDelayMs(policy: Policy, tryNo: number, jitter: number): number {
  const { transientDelayMs: delayMs, transientDelayMsMax: delayMsMax, jitterShare } = policy;
  return backoffMs(tryNo, { delayMs, delayMsMax, jitterShare }, jitter);
}
