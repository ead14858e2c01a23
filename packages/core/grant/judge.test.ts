import { describe, expect, test } from "vitest";
import type { CanonicalValue } from "../canonical/index.ts";
import { compileEnvelope } from "./envelope.ts";
import type { Grant } from "./grant.ts";
import {
  type ActiveTime,
  type Judgement,
  judge,
  type Spent,
  type Times,
  timesOf,
  type Usage,
  windowsOf,
} from "./judge.ts";
import { readGrants } from "./read-grants.ts";
import type { RiskTier } from "./risk.ts";

const now = 1_800_000_000_000;
const hourMs = 3_600_000;
const operation = "shop.book";
const nothingUsed = { calls: {}, times: {} };

function grants(...given: readonly object[]): readonly Grant[] {
  const read = readGrants(given.map((each) => ({ operation, ...each })) as CanonicalValue);
  if (!read.ok) throw new Error(read.message);
  return read.grants;
}

function judged(
  given: readonly object[],
  params: CanonicalValue = {},
  usage: Usage = {},
  times: Times = {},
): Judgement {
  return judge(
    compileEnvelope(1, grants(...given)),
    { operation, params },
    { calls: usage, times },
    now,
  );
}

function wordOf(judgement: Judgement): string {
  return "grant" in judgement ? `${judgement.says} ${judgement.grant + 1}` : judgement.says;
}

function whyOf(judgement: Judgement): string {
  return "why" in judgement ? judgement.why : "";
}

const allow = { say: "allow" };
const ask = { say: "ask" };
const deny = { say: "deny" };
const big = { where: [{ at: "/sum", min: 100 }] };
const small = { where: [{ at: "/sum", max: 10 }] };
const gone = { expiresAt: now };
const lasting = { expiresAt: now + 1 };

describe("a grant that is for so much risk at most", () => {
  const upTo = (riskMax: string, say: object = allow) => ({ ...say, riskMax });
  test.each<readonly [RiskTier | null, string, string]>([
    ["low", "low", "allow 1"],
    ["medium", "low", "ask 2"],
    ["high", "low", "ask 2"],
    ["low", "medium", "allow 1"],
    ["medium", "medium", "allow 1"],
    ["high", "medium", "ask 2"],
    ["low", "high", "allow 1"],
    ["medium", "high", "allow 1"],
    ["high", "high", "allow 1"],
    [null, "low", "ask 2"],
    [null, "high", "ask 2"],
  ])("[R85] of %s risk, where %s is allowed: %s", (risk, riskMax, word) => {
    const envelope = compileEnvelope(1, grants(upTo(riskMax), ask));
    expect(wordOf(judge(envelope, { operation, params: {}, risk }, nothingUsed, now))).toBe(word);
  });

  test("[R85] says why it is not about a call, also where nobody has said the risk", () => {
    expect(whyOf(judged([upTo("medium")]))).toBe(
      `${operation} was not allowed: grant 1: ` +
        "it is for medium risk at most, and the risk is not known",
    );
  });
});

describe("which grant decides", () => {
  test.each<readonly [string, readonly object[], string]>([
    ["nothing is granted", [], "deny"],
    ["one allows it", [allow], "allow 1"],
    ["one asks", [ask], "ask 1"],
    ["a denial wins, wherever it stands", [allow, ask, deny], "deny"],
    ["a denial of something else is none", [{ ...deny, ...big }, allow], "allow 2"],
    ["allowing comes before asking", [ask, allow], "allow 2"],
    ["what does not allow it may still ask", [{ ...allow, ...big }, ask], "ask 2"],
    [
      "none of them is about this call",
      [
        { ...allow, ...big },
        { ...ask, ...big },
      ],
      "deny",
    ],
    ["the first of two that allow it", [{ ...allow, ...small }, allow], "allow 1"],
    ["one that has expired is none", [{ ...allow, ...gone }], "deny"],
    ["one that expires in a moment is one", [{ ...allow, ...lasting }], "allow 1"],
    ["a denial that has expired is none", [{ ...deny, ...gone }, allow], "allow 2"],
    ["of another operation", [{ ...allow, operation: "shop.look" }], "deny"],
  ])("[R84, R86] %s", (_, given, expected) => {
    expect(wordOf(judged(given, { sum: 5 }))).toBe(expected);
  });

  test("[R84] a refusal names the operation, each grant of it, and what failed", () => {
    const given = [
      { ...allow, ...big },
      { ...ask, ...gone },
    ];
    expect(whyOf(judged(given, { sum: 5 }))).toBe(
      "shop.book was not allowed: grant 1: /sum is 5, not a number from 100 on; " +
        "grant 2: it expired at 2027-01-15 08:00:00 UTC",
    );
    expect(whyOf(judged([]))).toBe("shop.book was not allowed: no grant names it");
    expect(whyOf(judged([deny]))).toBe("shop.book is denied by grant 1");
  });

  test("two pairs of eyes are asked for if any grant that asks wants them", () => {
    expect(judged([ask, { ...ask, fourEyes: true }])).toMatchObject({
      says: "ask",
      fourEyes: true,
    });
    const used = { ...ask, fourEyes: true, limits: [{ per: "day", count: 0 }] };
    const day = { count: 0, amount: 0, oldestAt: null };
    expect(judged([used, ask], {}, { day })).toMatchObject({ grant: 1, fourEyes: true });
    expect(judged([ask])).toMatchObject({ fourEyes: false });
    expect(judged([allow, { ...ask, fourEyes: true }])).toMatchObject({ fourEyes: false });
  });
});

describe("a constraint", () => {
  const params = {
    to: { mail: "ann@example.org", tags: ["a", "b"] },
    sum: 5,
    note: null,
    "a/b": 1,
  };
  test.each<readonly [object, boolean]>([
    [{ at: "/sum", equals: 5 }, true],
    [{ at: "/sum", equals: 5.5 }, false],
    [{ at: "/sum", equals: "5" }, false],
    [{ at: "/note", equals: null }, true],
    [{ at: "/to/tags", equals: ["a", "b"] }, true],
    [{ at: "/to/tags", equals: ["b", "a"] }, false],
    [{ at: "/to/tags/1", equals: "b" }, true],
    [{ at: "/to/tags/2", equals: "b" }, false],
    [{ at: "/to/tags/01", equals: "b" }, false],
    [{ at: "/to/tags/length", equals: 2 }, false],
    [{ at: "/a~1b", equals: 1 }, true],
    [{ at: "/nowhere", equals: null }, false],
    [{ at: "/constructor", pattern: ".*" }, false],
    [{ at: "/sum/toFixed", pattern: ".*" }, false],
    [{ at: "/sum", oneOf: [4, 5] }, true],
    [{ at: "/sum", oneOf: [] }, false],
    [{ at: "/to/mail", prefix: "ann@" }, true],
    [{ at: "/to/mail", prefix: "bob@" }, false],
    [{ at: "/sum", prefix: "" }, false],
    [{ at: "/to/mail", pattern: "[a-z]+@example\\.org" }, true],
    [{ at: "/to/mail", pattern: "example" }, false],
    [{ at: "/sum", pattern: "5" }, false],
    [{ at: "/sum", min: 5, max: 5 }, true],
    [{ at: "/sum", min: 5.01 }, false],
    [{ at: "/sum", max: 4.99 }, false],
    [{ at: "/to/mail", min: 0 }, false],
    [{ at: "", equals: params }, true],
  ])("[S54] %j holds: %s", (constraint, holds) => {
    const says = judged([{ say: "allow", where: [constraint] }], params).says;
    expect(says).toBe(holds ? "allow" : "deny");
  });

  const long = "x".repeat(5_000);
  const manyParams = { text: "a", long, lines: "a\nb", sum: 5, huge: 10n ** 20n, none: null };
  const everyKind = { ...manyParams, list: ["a"], record: { a: 1 }, yes: true };
  test.each<readonly [object, "holds" | "no" | "unclear"]>([
    [{ at: "/text", pattern: "a" }, "holds"],
    [{ at: "/text", pattern: "b" }, "no"],
    [{ at: "/long", pattern: "x*" }, "unclear"],
    [{ at: "/lines", pattern: ".*" }, "unclear"],
    [{ at: "/lines", pattern: "b.*" }, "no"],
    [{ at: "/sum", pattern: "5" }, "unclear"],
    [{ at: "/list", pattern: "a" }, "unclear"],
    [{ at: "/list", prefix: "a" }, "unclear"],
    [{ at: "/long", prefix: "x" }, "holds"],
    [{ at: "/none", prefix: "" }, "no"],
    [{ at: "/nowhere", prefix: "" }, "no"],
    [{ at: "/none/mail", prefix: "" }, "no"],
    [{ at: "/list/1", prefix: "" }, "no"],
    [{ at: "/list/mail", prefix: "" }, "unclear"],
    [{ at: "/text/mail", prefix: "" }, "unclear"],
    [{ at: "/record/mail", prefix: "" }, "no"],
    [{ at: "/sum", min: 6 }, "no"],
    [{ at: "/text", min: 6 }, "unclear"],
    [{ at: "/huge", min: 6 }, "unclear"],
    [{ at: "/yes", max: 6 }, "unclear"],
    [{ at: "/none", max: 6 }, "no"],
    [{ at: "/record", keys: ["b"] }, "no"],
    [{ at: "/list", keys: ["b"] }, "unclear"],
    [{ at: "/text", equals: "b" }, "no"],
    [{ at: "/list", equals: "a" }, "unclear"],
    [{ at: "/sum", equals: "5" }, "unclear"],
    [{ at: "/sum", equals: null }, "no"],
    [{ at: "/yes", equals: "true" }, "unclear"],
    [{ at: "/record", equals: { a: 2 } }, "no"],
    [{ at: "/text", oneOf: ["b", null] }, "no"],
    [{ at: "/text", oneOf: ["b", 1] }, "unclear"],
    [{ at: "/text", oneOf: [] }, "no"],
  ])("[S54] %j %s: what is unclear is denied, and not let through", (constraint, holds) => {
    const where = [constraint];
    const passes = holds === "holds";
    expect(judged([{ ...allow, where }], everyKind).says).toBe(passes ? "allow" : "deny");
    expect(judged([{ ...ask, where }], everyKind).says).toBe(passes ? "ask" : "deny");
    const denied = judged([{ ...deny, where }, allow], everyKind);
    expect(denied.says).toBe(holds === "no" ? "allow" : "deny");
    const isSaid = whyOf(denied).includes("which cannot be ruled out");
    expect(isSaid).toBe(holds === "unclear");
  });

  test("[S54] all of a grant have to hold", () => {
    const where = [
      { at: "/sum", max: 10 },
      { at: "/to/mail", prefix: "bob" },
    ];
    expect(judged([{ say: "allow", where }], params).says).toBe("deny");
  });
});

describe("a limit", () => {
  const spent = (count: number, amount = 0, oldestAt: number | null = now - 1_000): Spent => ({
    count,
    amount: amount * 10_000,
    oldestAt,
  });
  const limited = (limit: object) => ({ say: "allow", amount: "/sum", limits: [limit] });

  test.each<readonly [string, object, Usage, CanonicalValue, string]>([
    ["one is left", { per: "hour", count: 2 }, { hour: spent(1) }, { sum: 1 }, "allow 1"],
    ["none is left", { per: "hour", count: 2 }, { hour: spent(2) }, { sum: 1 }, "over"],
    ["hit exactly", { per: "day", amount: 10 }, { day: spent(1, 9) }, { sum: 1 }, "allow 1"],
    ["passed by a little", { per: "day", amount: 10 }, { day: spent(1, 9) }, { sum: 1.01 }, "over"],
    ["0.1 + 0.2", { per: "day", amount: 0.3 }, { day: spent(1, 0.1) }, { sum: 0.2 }, "allow 1"],
    [
      "never: too much",
      { per: "day", amount: 10 },
      { day: spent(0, 0, null) },
      { sum: 11 },
      "deny",
    ],
    [
      "never: none at all",
      { per: "day", count: 0 },
      { day: spent(0, 0, null) },
      { sum: 1 },
      "deny",
    ],
    ["never: of one run", { per: "run", count: 1 }, { run: spent(1, 0, null) }, { sum: 1 }, "deny"],
    ["no amount", { per: "day", amount: 10 }, { day: spent(0) }, {}, "deny"],
    ["not a number", { per: "day", amount: 10 }, { day: spent(0) }, { sum: "1" }, "deny"],
    ["below nothing", { per: "day", amount: 10 }, { day: spent(0) }, { sum: -1 }, "deny"],
    ["too fine", { per: "day", amount: 10 }, { day: spent(0) }, { sum: 0.00001 }, "deny"],
  ])("[R89] %s", (_, limit, usage, params, expected) => {
    expect(wordOf(judged([limited(limit)], params, usage))).toBe(expected);
  });

  test("[R89] frees itself when the oldest call leaves its window", () => {
    const over = judged([limited({ per: "hour", count: 1 })], { sum: 1 }, { hour: spent(1) });
    expect(over).toMatchObject({ says: "over", freeAt: now - 1_000 + hourMs });
  });

  test("[R89] that is passed leaves the call to a grant that asks", () => {
    const given = [limited({ per: "hour", count: 1 }), ask];
    expect(wordOf(judged(given, { sum: 1 }, { hour: spent(1) }))).toBe("ask 2");
  });

  test("[R89] of a budget counts what everybody was charged, and is charged itself", () => {
    const shared = limited({ per: "day", amount: 10, of: "purchases" });
    const usage = (amount: number) => ({ "day of purchases": spent(3, amount) });
    expect(judged([shared], { sum: 1 }, usage(9))).toMatchObject({ budget: "purchases" });
    expect(judged([shared], { sum: 1.5 }, usage(9))).toMatchObject({
      says: "over",
      why: "shop.book: 9 of 10 per day of purchases are used up, and this call is 1.5",
    });
    // Whoever is let through by another grant is charged to that one's, or to none.
    expect(judged([shared, ask], { sum: 2 }, usage(9))).toMatchObject({
      says: "ask",
      budget: null,
    });
  });

  const ran = (activeMs: number, openMs: number, oldestAt: number | null): ActiveTime => ({
    activeMs,
    openMs,
    oldestAt,
  });
  const [earlier, minute] = [now - 1_000, 60_000];

  test.each<readonly [string, object, Times, string]>([
    ["time is left", { per: "hour" }, { hour: ran(minute - 1, 9, earlier) }, "allow 1"],
    ["used up exactly", { per: "hour" }, { hour: ran(minute, 9, earlier) }, "over"],
    ["by the open run alone", { per: "hour" }, { hour: ran(minute + 9, minute, earlier) }, "deny"],
    ["of a run, left", { per: "run" }, { run: ran(minute - 1, minute - 1, null) }, "allow 1"],
    ["of a run, used up", { per: "run" }, { run: ran(minute, minute, null) }, "deny"],
    ["none at all", { per: "week", activeMs: 0 }, { week: ran(0, 0, null) }, "deny"],
  ])("[R89] on active time: %s", (_, limit, times, expected) => {
    const given = { say: "allow", limits: [{ activeMs: minute, ...limit }] };
    expect(wordOf(judged([given], {}, {}, times))).toBe(expected);
  });

  test("[R89] on active time frees itself when the oldest run leaves its window", () => {
    const given = { say: "allow", limits: [{ per: "hour", activeMs: minute }] };
    const times = { hour: ran(minute + 5, 9, earlier) };
    expect(judged([given], {}, {}, times)).toEqual({
      says: "over",
      why: "shop.book: 60005 of 60000 ms of active time per hour are used up",
      freeAt: earlier + hourMs,
    });
    expect(whyOf(judged([given], {}, {}, { hour: ran(70_000, 61_000, earlier) }))).toBe(
      "shop.book was not allowed: grant 1: " +
        "70000 of 60000 ms of active time per hour are used up, 61000 by the run itself",
    );
  });

  test("[R89] of calls and of time: the one that stays passed longer decides when to look", () => {
    const given = {
      say: "allow",
      limits: [
        { per: "hour", count: 1, activeMs: minute },
        { per: "day", activeMs: minute },
      ],
    };
    const times = { hour: ran(minute, 0, earlier), day: ran(minute, 0, earlier) };
    const over = judged([given], {}, { hour: spent(1) }, times);
    expect(over).toMatchObject({ says: "over", freeAt: earlier + 24 * hourMs });
  });

  test("[R89] on time alone needs no calls summed up, and one on calls no runs", () => {
    const about = (...limits: readonly object[]) => {
      const envelope = compileEnvelope(1, grants({ say: "allow", limits }));
      const call = { operation, params: {} };
      return [[...windowsOf(envelope, call, now).keys()], [...timesOf(envelope, call, now)]];
    };
    expect(about({ per: "hour", activeMs: 1 })).toEqual([[], ["hour"]]);
    expect(about({ per: "hour", count: 1 })).toEqual([["hour"], []]);
    expect(about({ per: "hour", count: 1, activeMs: 1 }, { per: "run", activeMs: 1 })).toEqual([
      ["hour"],
      ["hour", "run"],
    ]);
    const envelope = compileEnvelope(
      1,
      grants({ say: "allow", limits: [{ per: "hour", activeMs: 1 }] }),
    );
    expect(() => judge(envelope, { operation, params: {} }, nothingUsed, now)).toThrow("per hour");
  });

  test("[R89] only what a grant about this call counts has to be summed up", () => {
    const given = [
      { ...limited({ per: "day", count: 1 }), ...big },
      { ...limited({ per: "hour", count: 1 }), ...small },
      allow,
    ];
    const envelope = compileEnvelope(1, grants(...given));
    const windows = windowsOf(envelope, { operation, params: { sum: 5 } }, now);
    expect([...windows.keys()]).toEqual(["hour"]);
    expect(() => judge(envelope, { operation, params: { sum: 5 } }, nothingUsed, now)).toThrow(
      "per hour",
    );
  });
});
