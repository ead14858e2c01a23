import type { CanonicalValue } from "../canonical/index.ts";
import { invariant } from "../ports/invariant.ts";
import type { Instant } from "../view/rows.ts";
import { sayUtc } from "../why/say-time.ts";
import { amountParts, amountText } from "./amount.ts";
import { amountOf, type Envelope, grantsOf, type ReadyGrant } from "./envelope.ts";
import { budgetOf, type Grant, type Limit, type Period, periodMs } from "./grant.ts";
import { isWithinRisk, type RiskTier } from "./risk.ts";

export type JudgedCall = {
  /** `connection.operation`. */
  readonly operation: string;
  readonly params: CanonicalValue;
  /** What its connector says of the operation; absent = nobody has said it. */
  readonly risk?: RiskTier | null;
};

/** What was sent of the operation, or recorded to be, in a window, but for this and what failed. */
export type Spent = {
  readonly count: number;
  /** In ten-thousandths. */
  readonly amount: number;
  /** From when the first of them counts; null = there is none. */
  readonly oldestAt: Instant | null;
};

/** How long a workflow's code has run in a window. */
export type ActiveTime = {
  /** Of all runs that count. */
  readonly activeMs: number;
  /** Of the open run, which counts with all its time for as long as it is open. */
  readonly openMs: number;
  /** When the first of those that have ended did; null = none has. */
  readonly oldestAt: Instant | null;
};

/** What is counted: calls of the operation, or of everybody who shares a budget. */
export type Window = { readonly per: Period; readonly of: string | null };

function windowName({ per, of }: Window): string {
  return of === null ? per : `${per} of ${of}`;
}

/** By name. Only what `windowsOf` and `timesOf` name has to be there. */
export type Usage = Partial<Readonly<Record<string, Spent>>>;
export type Times = Partial<Readonly<Record<Period, ActiveTime>>>;

export type Used = { readonly calls: Usage; readonly times: Times };

export type Judgement =
  | {
      readonly says: "allow" | "ask";
      readonly grant: number;
      /** Of the call, in ten-thousandths; null = none is counted. */
      readonly amount: number | null;
      readonly fourEyes: boolean;
      /** What it would be charged to; null = nothing that is shared. */
      readonly budget: string | null;
      /** Where its result will say what it came to; null = nowhere. */
      readonly spent: string | null;
    }
  | { readonly says: "deny"; readonly why: string }
  /** It would be allowed, or asked about, but for a limit; `freeAt` = when to look again. */
  | { readonly says: "over"; readonly why: string; readonly freeAt: Instant };

/** The windows over which the ledger has to be summed up before the call can be judged. */
export function windowsOf(
  envelope: Envelope,
  call: JudgedCall,
  now: Instant,
): ReadonlyMap<string, Window> {
  const windows = new Map<string, Window>();
  for (const limit of limitsAbout(envelope, call, now)) {
    if (limit.count === null && limit.amount === null) continue;
    const window = windowOf(limit);
    windows.set(windowName(window), window);
  }
  return windows;
}

/** The periods for which the runs have to be summed up before the call can be judged. */
export function timesOf(envelope: Envelope, call: JudgedCall, now: Instant): ReadonlySet<Period> {
  const limits = limitsAbout(envelope, call, now);
  return new Set(limits.flatMap(({ per, activeMs }) => (activeMs === undefined ? [] : [per])));
}

/** Of the grants that are about this very call. */
function limitsAbout(envelope: Envelope, call: JudgedCall, now: Instant): readonly Limit[] {
  return grantsOf(envelope, call.operation).flatMap((ready) => {
    const { limits } = ready.grant;
    return limits.length === 0 || whyNotAbout(ready, call, now) !== null ? [] : limits;
  });
}

function windowOf(limit: Limit): Window {
  return { per: limit.per, of: limit.of ?? null };
}

/**
 * Pure. A matching `deny` wins over everything; then an `allow` within its limits, then an `ask`;
 * what nothing matches is denied.
 */
export function judge(envelope: Envelope, call: JudgedCall, used: Used, now: Instant): Judgement {
  const { operation } = call;
  const all = grantsOf(envelope, operation);
  const reasons: string[] = [];
  const matching: ReadyGrant[] = [];
  for (const ready of all) {
    const why = whyNotAbout(ready, call, now);
    if (why === null) matching.push(ready);
    else reasons.push(`grant ${ready.index + 1}: ${why}`);
  }
  const denial = matching.find(({ grant }) => grant.say === "deny");
  if (denial !== undefined) return { says: "deny", why: whyDeniedBy(denial, call) };
  const within = withinLimits(matching, { envelope, call, used, now });
  for (const says of ["allow", "ask"] as const) {
    const found = within.free.filter(({ grant }) => grant.say === says);
    if (found[0] === undefined) continue;
    // Whoever put two pairs of eyes on these calls meant it, whichever grant has room for them.
    const fourEyes = says === "ask" && matching.some(({ grant }) => grant.fourEyes);
    const amount = amountOf(envelope, operation, call.params);
    const { index, grant } = found[0];
    const { spent = null } = grant;
    return { says, grant: index, amount, fourEyes, budget: budgetOf(grant), spent };
  }
  reasons.push(...within.never);
  if (within.over === null) return { says: "deny", why: whyDenied(operation, reasons) };
  return { says: "over", why: `${operation}: ${within.over.why}`, freeAt: within.over.freeAt };
}

const reasonsShownMax = 5;

function whyDenied(operation: string, reasons: readonly string[]): string {
  if (reasons.length === 0) return `${operation} was not allowed: no grant names it`;
  const shown = reasons.slice(0, reasonsShownMax).join("; ");
  const rest = reasons.length - reasonsShownMax;
  return `${operation} was not allowed: ${shown}${rest > 0 ? `; and ${rest} more` : ""}`;
}

function whyDeniedBy({ index, tests }: ReadyGrant, { operation, params }: JudgedCall): string {
  const denied = `${operation} is denied by grant ${index + 1}`;
  const unclear = tests.flatMap((test) => test(params) ?? [])[0];
  return unclear === undefined ? denied : `${denied}, which cannot be ruled out: ${unclear.why}`;
}

/**
 * Limits apart. Null = the grant is about this call. Where nobody can tell whether a constraint
 * holds, a denial is about it, and what would let it through is not.
 */
export function whyNotAbout(
  { grant, tests }: ReadyGrant,
  call: JudgedCall,
  now: Instant,
): string | null {
  if (grant.expiresAt !== null && now >= grant.expiresAt) {
    return `it expired at ${sayUtc(grant.expiresAt)}`;
  }
  const tooRisky = whyTooRisky(grant, call);
  if (tooRisky !== null) return tooRisky;
  for (const test of tests) {
    const doubt = test(call.params);
    if (doubt === null || (doubt.says === "unclear" && grant.say === "deny")) continue;
    return doubt.why;
  }
  return null;
}

/** What nobody has said counts as more than any grant is for. */
function whyTooRisky({ riskMax }: Grant, { risk = null }: JudgedCall): string | null {
  if (riskMax === undefined || (risk !== null && isWithinRisk(risk, riskMax))) return null;
  return `it is for ${riskMax} risk at most, and the risk is ${risk ?? "not known"}`;
}

type Judging = {
  readonly envelope: Envelope;
  readonly call: JudgedCall;
  readonly used: Used;
  readonly now: Instant;
};

type Over = { readonly why: string; readonly freeAt: Instant };

type Within = {
  readonly free: readonly ReadyGrant[];
  /** The one that is free first; null = none is over a limit that frees again. */
  readonly over: Over | null;
  /** Why some will never be free for this call. */
  readonly never: readonly string[];
};

function withinLimits(matching: readonly ReadyGrant[], judging: Judging): Within {
  const free: ReadyGrant[] = [];
  const never: string[] = [];
  let over: Over | null = null;
  for (const ready of matching) {
    const found = overLimit(ready, judging);
    if (found === null) free.push(ready);
    else if (found.freeAt === null) never.push(`grant ${ready.index + 1}: ${found.why}`);
    else if (over === null || found.freeAt < over.freeAt) {
      over = { why: found.why, freeAt: found.freeAt };
    }
  }
  return { free, over, never };
}

type Passed = { readonly why: string; readonly freeAt: Instant | null };

/** The limit that stays passed the longest; `freeAt` null = for ever. */
function overLimit({ grant }: ReadyGrant, judging: Judging): Passed | null {
  if (grant.amount !== null && amountOfCall(judging) === null) {
    const why = `${grant.amount} is not an amount: a number, 0 or more, with four decimals at most`;
    return { why, freeAt: null };
  }
  let worst: Passed | null = null;
  for (const limit of grant.limits) {
    for (const passed of [passedLimit(limit, judging), passedTime(limit, judging)]) {
      if (passed === null) continue;
      if (passed.freeAt === null) return passed;
      if (worst === null || passed.freeAt > (worst.freeAt ?? 0)) worst = passed;
    }
  }
  return worst;
}

/** How long the call itself will take nobody knows: it is let through while there is time left. */
function passedTime({ per, activeMs }: Limit, { used, now }: Judging): Passed | null {
  if (activeMs === undefined) return null;
  const ran = used.times[per];
  invariant(ran !== undefined, `how long was run per ${per} was not loaded for this judgement`);
  if (ran.activeMs < activeMs) return null;
  const why = `${ran.activeMs} of ${activeMs} ms of active time per ${per} are used up`;
  if (per === "run") return { why, freeAt: null };
  if (ran.openMs < activeMs) return { why, freeAt: freeAgainAt(per, ran, now) };
  return { why: `${why}, ${ran.openMs} by the run itself`, freeAt: null };
}

function amountOfCall({ envelope, call }: Judging): number | null {
  return amountOf(envelope, call.operation, call.params);
}

function passedLimit(limit: Limit, judging: Judging): Passed | null {
  const { count, amount, per } = limit;
  if (count === null && amount === null) return null;
  const window = windowName(windowOf(limit));
  const spent = judging.used.calls[window];
  invariant(spent !== undefined, `what was used per ${window} was not loaded for this judgement`);
  const freeAt = freeAgainAt(per, spent, judging.now);
  if (count !== null && spent.count >= count) {
    const why = `${spent.count} of ${count} per ${window} are used up`;
    return { why, freeAt: count === 0 ? null : freeAt };
  }
  const own = amountOfCall(judging);
  const most = amount === null ? null : amountParts(amount);
  if (most === null || own === null || spent.amount + own <= most) return null;
  const used = `${amountText(spent.amount)} of ${amountText(most)} per ${window} are used up`;
  const why = `${used}, and this call is ${amountText(own)}`;
  return { why, freeAt: own > most ? null : freeAt };
}

/** At that time the oldest leaves the window, and it is judged again. */
function freeAgainAt(
  per: Period,
  { oldestAt }: { readonly oldestAt: Instant | null },
  now: Instant,
): Instant | null {
  if (per === "run" || oldestAt === null) return null;
  // A window holds what counts from after its beginning.
  return Math.max(oldestAt + periodMs[per], now + 1);
}
