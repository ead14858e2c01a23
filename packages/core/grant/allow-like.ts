import { type CanonicalValue, contentHash } from "../canonical/index.ts";
import type { Instant } from "../view/rows.ts";
import { compileEnvelope, grantsOf } from "./envelope.ts";
import type { Constraint, Grant, Limit } from "./grant.ts";
import { type JudgedCall, whyNotAbout } from "./judge.ts";
import { readGrants } from "./read-grants.ts";

export type StandingRule = {
  /** What may differ from the call, and how far; all else has to be as it is there. */
  readonly open: readonly Constraint[];
  readonly limits: readonly Limit[];
  /** Where the amount of a call stands; null = where the other grants say. */
  readonly amount: string | null;
  readonly expiresAt: Instant;
};

export type AllowLike =
  | { readonly ok: true; readonly grant: Grant }
  | { readonly ok: false; readonly message: string };

class RuleFault extends Error {}

function fault(message: string): never {
  throw new RuleFault(message);
}

/**
 * Pure. A grant that allows calls like this one. It is the grant that asks, narrowed: what that one
 * says of parameters, limits and time stays, and every value of the call is bound, the names of
 * its records too. So it covers nothing that its constraints do not say, nor what nobody was asked.
 */
export function allowLike(
  grants: readonly Grant[],
  call: JudgedCall,
  { rule, now }: { readonly rule: StandingRule; readonly now: Instant },
): AllowLike {
  try {
    const asks = askingGrant(grants, call, now);
    if (rule.limits.length === 0) fault("a standing rule needs a limit");
    if (rule.expiresAt <= now) fault("a standing rule needs an end that is still to come");
    const grant = narrowed(asks, { ...rule, open: boundBy(call.params, rule.open) });
    checkCovers(grants, grant, call, now);
    return { ok: true, grant };
  } catch (error) {
    if (error instanceof RuleFault) return { ok: false, message: error.message };
    throw error;
  }
}

/** The one by which the call is asked about; where two people have to look there is no rule. */
function askingGrant(grants: readonly Grant[], call: JudgedCall, now: Instant): Grant {
  const { operation } = call;
  const all = grantsOf(compileEnvelope(0, grants), operation);
  if (all.some(({ grant }) => grant.fourEyes)) {
    fault(`a grant of ${operation} asks for four eyes: two people look at such calls, each time`);
  }
  const about = all.filter((ready) => whyNotAbout(ready, call, now) === null);
  const denial = about.find(({ grant }) => grant.say === "deny");
  if (denial !== undefined) fault(`${operation} is denied by grant ${denial.index + 1}`);
  const asks = about.find(({ grant }) => grant.say === "ask");
  return asks?.grant ?? fault(`no grant in force asks about this call of ${operation}`);
}

function narrowed(asks: Grant, { open, limits, amount, expiresAt }: StandingRule): Grant {
  return {
    ...asks,
    say: "allow",
    where: distinct([...asks.where, ...open]),
    limits: distinct([...asks.limits, ...limits]),
    amount: asks.amount ?? amount,
    expiresAt: Math.min(asks.expiresAt ?? expiresAt, expiresAt),
  };
}

function distinct<T extends object>(all: readonly T[]): readonly T[] {
  const hashOf = (each: T) => contentHash(each as unknown as CanonicalValue);
  return [...new Map(all.map((each) => [hashOf(each), each])).values()];
}

/** As it would be read and judged: what a person is shown covers what they looked at. */
function checkCovers(grants: readonly Grant[], grant: Grant, call: JudgedCall, now: Instant): void {
  const read = readGrants([...grants, grant] as unknown as CanonicalValue);
  if (!read.ok) fault(read.message);
  const [ready] = grantsOf(compileEnvelope(0, [grant]), call.operation);
  const why = ready === undefined ? "it is about nothing" : whyNotAbout(ready, call, now);
  if (why !== null) fault(`the call itself would not be covered: ${why}`);
}

/** Constraints that only this call fulfills, but for what is open. */
function boundBy(params: CanonicalValue, open: readonly Constraint[]): readonly Constraint[] {
  const used = new Set<Constraint>();
  const bind = (value: CanonicalValue, at: string): readonly Constraint[] => {
    const here = open.filter((each) => each.at === at);
    for (const each of here) used.add(each);
    if (here.length > 0) return here;
    if (!open.some((each) => each.at.startsWith(`${at}/`))) return [{ at, equals: value }];
    if (!isRecord(value)) return fault(`${at || "the call"} is no record: it stays as it is`);
    const keys = Object.keys(value).sort();
    const inside = keys.map((key) => bind(value[key] ?? null, `${at}/${pointerPart(key)}`));
    return [{ at, keys }, ...inside.flat()];
  };
  const bound = bind(params, "");
  const lost = open.find((each) => !used.has(each));
  if (lost !== undefined) fault(`${lost.at} is not in the call, or inside of what is open already`);
  const loose = open.find((each) => "keys" in each);
  if (loose !== undefined) fault(`${loose.at}: names alone would leave open what they hold`);
  return bound;
}

function isRecord(value: CanonicalValue): value is Readonly<Record<string, CanonicalValue>> {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject && !(value instanceof Uint8Array) && !(value instanceof Map);
}

function pointerPart(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}
