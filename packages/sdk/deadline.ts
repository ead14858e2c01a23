const nsPerMs = 1_000_000n;

type Clock = { readonly logicalNowNs: bigint };

/** The time so many milliseconds after the event at hand, by the clock that never goes back. */
function after(ctx: Clock, ms: number): bigint {
  return ctx.logicalNowNs + BigInt(ms) * nsPerMs;
}

function isPast(ctx: Clock, atNs: bigint): boolean {
  return ctx.logicalNowNs >= atNs;
}

/** Times for `sys/timer.set@1` and for comparing with them. */
export const deadline = { after, isPast } as const;
