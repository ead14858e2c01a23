import { describe, expect, test } from "vitest";
import type { CanonicalValue } from "../canonical/index.ts";
import { type AllowLike, allowLike, type StandingRule } from "./allow-like.ts";
import { compileEnvelope } from "./envelope.ts";
import type { Grant } from "./grant.ts";
import { judge } from "./judge.ts";
import { readGrants } from "./read-grants.ts";
import { sayGrant } from "./say-grant.ts";

const now = 1_800_000_000_000;
const operation = "shop.post";
const params = { path: "/orders", body: { id: "o-1", sum: 5, tags: ["new"] }, ref: "o-1" };
const limits = [{ per: "day", count: 2, amount: null }] as const;

function grants(...given: readonly object[]): readonly Grant[] {
  const read = readGrants(given.map((each) => ({ operation, ...each })) as CanonicalValue);
  if (!read.ok) throw new Error(read.message);
  return read.grants;
}

function made(given: readonly object[], rule: Partial<StandingRule> = {}): AllowLike {
  const whole = { open: [], limits, amount: null, expiresAt: now + 1_000, ...rule };
  return allowLike(grants(...given), { operation, params }, { rule: whole, now });
}

function ruleOf(given: readonly object[], rule: Partial<StandingRule> = {}): Grant {
  const found = made(given, rule);
  if (!found.ok) throw new Error(found.message);
  return found.grant;
}

function whyNone(given: readonly object[], rule: Partial<StandingRule> = {}): string {
  const found = made(given, rule);
  return found.ok ? sayGrant(found.grant) : found.message;
}

/** What is said of another call, with the rule in force and nothing used yet. */
function says(rule: Grant, other: object, { at = now, asks = true } = {}): string {
  const envelope = compileEnvelope(2, [...(asks ? grants({ say: "ask" }) : []), rule]);
  const call = { operation, params: other as CanonicalValue };
  const none = { count: 0, amount: 0, oldestAt: null };
  return judge(envelope, call, { calls: { day: none, week: none }, times: {} }, at).says;
}

const ask = { say: "ask" };
const anyText = (at: string) => ({ at, prefix: "" });

describe("a standing rule", () => {
  test("[R86] allows the same call, and asks about every other", () => {
    const rule = ruleOf([ask]);
    expect(says(rule, params)).toBe("allow");
    for (const other of [
      { ...params, ref: "o-2" },
      { ...params, more: true },
      { path: params.path, body: params.body },
      { ...params, body: { ...params.body, sum: "5" } },
      { ...params, body: { ...params.body, tags: ["new", "new"] } },
      { ...params, body: null },
    ]) {
      expect(says(rule, other), JSON.stringify(other)).toBe("ask");
    }
  });

  test("[R86, R94] leaves open what it says, and no name beside it", () => {
    const open = [anyText("/ref"), anyText("/body/id"), { at: "/body/sum", min: 0, max: 100 }];
    const rule = ruleOf([ask], { open });
    expect(sayGrant(rule)).toBe(
      'allow shop.post, where the call has ["body","path","ref"] and nothing else and ' +
        '/body has ["id","sum","tags"] and nothing else and /body/id is any text and ' +
        '/body/sum is from 0 to 100 and /body/tags is ["new"] and /path is "/orders" and ' +
        "/ref is any text, up to 2 calls per day, until 2027-01-15 08:00:01 UTC",
    );
    const like = { path: "/orders", body: { id: "x", sum: 100, tags: ["new"] }, ref: "y" };
    expect(says(rule, like)).toBe("allow");
    expect(says(rule, { ...like, body: { ...like.body, sum: 100.5 } })).toBe("ask");
    expect(says(rule, { ...like, body: { ...like.body, express: true } })).toBe("ask");
    expect(says(rule, { ...like, ref: 7 })).toBe("ask");
    expect(says(rule, { ...like, express: true })).toBe("ask");
  });

  test("[R89] keeps what the asking grant says of parameters, limits, budget and time", () => {
    const narrow = {
      say: "ask",
      where: [{ at: "/body/sum", max: 10 }],
      amount: "/body/sum",
      limits: [{ per: "week", amount: 50, of: "purchases" }],
      expiresAt: now + 10,
    };
    const rule = ruleOf([narrow], { open: [{ at: "/body/sum", max: 1_000 }] });
    expect(rule).toMatchObject({ amount: "/body/sum", expiresAt: now + 10 });
    expect(rule.limits).toEqual([
      { per: "week", count: null, amount: 50, of: "purchases" },
      { per: "day", count: 2, amount: null },
    ]);
    const more = { ...params, body: { ...params.body, sum: 11 } };
    expect(says(rule, more, { asks: false })).toBe("deny");
  });

  test("[R86] that is over is none: it is asked again", () => {
    const rule = ruleOf([ask]);
    expect(says(rule, params, { at: now + 999 })).toBe("allow");
    expect(says(rule, params, { at: now + 1_000 })).toBe("ask");
  });

  test.each<readonly [string, readonly object[], Partial<StandingRule>, string]>([
    ["without a limit", [ask], { limits: [] }, "needs a limit"],
    ["without an end to come", [ask], { expiresAt: now }, "an end that is still to come"],
    ["where nobody is asked", [{ say: "allow" }], {}, "no grant in force asks"],
    ["where it is denied", [ask, { say: "deny" }], {}, "is denied by grant 2"],
    ["where four eyes look", [ask, { ...ask, fourEyes: true }], {}, "asks for four eyes"],
    [
      "where four eyes look at calls of another kind",
      [ask, { ...ask, fourEyes: true, where: [{ at: "/body/sum", min: 1_000 }] }],
      {},
      "asks for four eyes",
    ],
    ["open at what is not there", [ask], { open: [anyText("/body/no")] }, "is not in the call"],
    ["open inside a list", [ask], { open: [anyText("/body/tags/0")] }, "/body/tags is no record"],
    [
      "open inside of what is open",
      [ask],
      { open: [{ at: "/body", oneOf: [params.body] }, anyText("/body/id")] },
      "inside of what is open already",
    ],
    ["open by names alone", [ask], { open: [{ at: "/body", keys: [] }] }, "would leave open"],
    [
      "that the call is outside of",
      [ask],
      { open: [{ at: "/ref", prefix: "p" }] },
      "not be covered",
    ],
    [
      "with an amount that nobody says where to find",
      [ask],
      { limits: [{ per: "day", count: null, amount: 1 }] },
      "needs `amount`",
    ],
  ])("[R86] is not made %s", (_, given, rule, why) => {
    expect(whyNone(given, rule)).toContain(why);
  });
});
