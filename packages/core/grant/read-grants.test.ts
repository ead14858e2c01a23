import { describe, expect, test } from "vitest";
import type { CanonicalValue } from "../canonical/index.ts";
import { diffGrants, isSameGrants } from "./diff-grants.ts";
import { type Grant, plainGrants } from "./grant.ts";
import { encodeGrants, readGrants } from "./read-grants.ts";
import { sayGrant, sayGrantDiff } from "./say-grant.ts";

const book = { operation: "shop.book", say: "allow" };

function read(...given: readonly object[]): readonly Grant[] {
  const found = readGrants(given as unknown as CanonicalValue);
  if (!found.ok) throw new Error(found.message);
  return found.grants;
}

function faultOf(given: unknown): string {
  const found = readGrants(given as CanonicalValue);
  return found.ok ? "none" : found.message;
}

const manyTests = "it has exactly one of equals, oneOf, prefix, pattern, keys, or min and max";

describe("grants as a person writes them", () => {
  test("[R86] what is left out is nothing, and equal grants have equal bytes", () => {
    const [grant] = read(book);
    expect(grant).toEqual({
      ...book,
      where: [],
      limits: [],
      amount: null,
      fourEyes: false,
      expiresAt: null,
    });
    const written = read({ ...book, where: null, fourEyes: false, expiresAt: null });
    expect(encodeGrants(written)).toEqual(encodeGrants(plainGrants("allow", ["shop.book"])));
    expect(read(...(JSON.parse(JSON.stringify([grant])) as object[]))).toEqual([grant]);
  });

  test.each<readonly [unknown, string]>([
    [{}, "grants: it is a list"],
    [[7], "grants[0]: it is a record"],
    [[{ ...book, extra: 1 }], "grants[0].extra: there is no such field"],
    [[{ ...book, operation: "shop" }], "grants[0].operation: it is connection.operation"],
    [[{ ...book, say: "perhaps" }], "grants[0].say: it is allow or ask or deny"],
    [[{ ...book, where: {} }], "grants[0].where: it is a list"],
    [
      [{ ...book, where: [{ at: "sum", max: 1 }] }],
      'grants[0].where[0].at: it is a JSON pointer such as "/body/amount"',
    ],
    [[{ ...book, where: [{ at: "/sum" }] }], `grants[0].where[0]: ${manyTests}`],
    [[{ ...book, where: [{ at: "/a", prefix: "b", max: 1 }] }], `grants[0].where[0]: ${manyTests}`],
    [
      [{ ...book, where: [{ at: "/a", min: 2, max: 1 }] }],
      "grants[0].where[0]: min is more than max",
    ],
    [
      [{ ...book, where: [{ at: "/a", pattern: "(" }] }],
      "grants[0].where[0].pattern: there is a ( without a )",
    ],
    [
      [{ ...book, limits: [{ per: "month", count: 1 }] }],
      "grants[0].limits[0].per: it is run or hour or day or week",
    ],
    [
      [{ ...book, limits: [{ per: "day" }] }],
      "grants[0].limits[0]: it limits nothing: give count, amount or activeMs",
    ],
    [
      [{ ...book, limits: [{ per: "day", count: 1.5 }] }],
      "grants[0].limits[0].count: it is a whole number",
    ],
    [
      [{ ...book, limits: [{ per: "day", activeMs: 0.5 }] }],
      "grants[0].limits[0].activeMs: it is a whole number of milliseconds",
    ],
    [
      [{ ...book, limits: [{ per: "day", activeMs: 1, of: "all" }] }],
      "grants[0].limits[0].activeMs: time is counted for one workflow: " +
        "put it into a limit without `of`",
    ],
    [
      [{ ...book, say: "deny", limits: [{ per: "day", activeMs: 1 }] }],
      "grants[0].limits: what is denied has no limits",
    ],
    [
      [{ ...book, limits: [{ per: "day", amount: 1 }] }],
      "grants[0].limits: a limit on the amount needs `amount`, where it stands in the call",
    ],
    [
      [{ ...book, limits: [{ per: "day", count: 1, of: "a b" }] }],
      "grants[0].limits[0].of: it is a name of letters, digits, - and _",
    ],
    [
      [
        {
          ...book,
          limits: [
            { per: "day", count: 1, of: "a" },
            { per: "week", count: 1, of: "b" },
          ],
        },
      ],
      "grants[0].limits: a call is charged to one budget",
    ],
    [[{ ...book, riskMax: "some" }], "grants[0].riskMax: it is low or medium or high"],
    [
      [{ ...book, say: "deny", riskMax: "high" }],
      "grants[0].riskMax: what is denied is denied at any risk",
    ],
    [
      [{ ...book, spent: "/tokens" }],
      "grants[0].spent: what is spent takes the place of an `amount`, which is missing",
    ],
    [[{ ...book, fourEyes: true }], "grants[0].fourEyes: only what is asked has an approver"],
    [
      [{ ...book, say: "deny", limits: [{ per: "day", count: 1 }] }],
      "grants[0].limits: what is denied has no limits",
    ],
    [
      [{ ...book, expiresAt: "soon" }],
      "grants[0].expiresAt: it is a time in milliseconds since 1970",
    ],
    [
      [
        { ...book, amount: "/a" },
        { ...book, amount: "/b" },
      ],
      "grants[1].amount: an earlier grant of shop.book counts /a",
    ],
    [Array.from({ length: 2_001 }, () => book), "grants: it has at most 2000 entries"],
  ])("%j is refused with its place", (given, fault) => {
    expect(faultOf(given)).toBe(fault);
  });
});

describe("two lists of grants", () => {
  const [plain, capped, other] = read(
    book,
    { ...book, where: [{ at: "/sum", max: 5 }] },
    { operation: "shop.look", say: "allow" },
  ) as readonly [Grant, Grant, Grant];

  test("[R86] differ in what is new, gone or changed, whatever their order", () => {
    expect(isSameGrants(diffGrants([plain, other], [other, plain]))).toBe(true);
    const diff = diffGrants([plain, other], [capped]);
    expect(diff).toMatchObject({ added: [], removed: [other], keptCount: 0 });
    expect(diff.changed).toEqual([{ before: plain, after: capped, fields: ["where"] }]);
    expect(diffGrants([plain], [plain, capped])).toMatchObject({ added: [capped], keptCount: 1 });
    expect(diffGrants([plain, plain], [plain])).toMatchObject({ removed: [plain] });
  });

  test.each<[keyof Grant, object, object]>([
    ["where", book, { where: [{ at: "/sum", max: 5 }] }],
    ["limits", book, { limits: [{ per: "day", count: 3 }] }],
    ["amount", book, { amount: "/sum" }],
    ["spent", { ...book, amount: "/sum" }, { spent: "/charged" }],
    ["riskMax", book, { riskMax: "medium" }],
    ["fourEyes", { ...book, say: "ask" }, { fourEyes: true }],
    ["expiresAt", book, { expiresAt: 5 }],
  ])("[R86] differ in %s when it is added and when it is taken away", (field, without, more) => {
    const [bare, full] = read(without, { ...without, ...more }) as readonly [Grant, Grant];
    for (const [before, after] of [
      [bare, full],
      [full, bare],
    ] as const) {
      const { changed, added, removed } = diffGrants([before], [after]);
      expect({ changed, added, removed }).toEqual({
        changed: [{ before, after, fields: [field] }],
        added: [],
        removed: [],
      });
    }
  });

  test("[R86, R89] say for how long code may run, and differ in it", () => {
    const [short, long] = read(
      { ...book, limits: [{ per: "day", activeMs: 60_000 }] },
      { ...book, limits: [{ per: "day", count: 5, activeMs: 90_000 }] },
    ) as readonly [Grant, Grant];
    expect(sayGrantDiff(diffGrants([short], [long]))).toEqual([
      "~ allow shop.book, up to 60000 ms of active time per day → " +
        "allow shop.book, up to 5 calls and 90000 ms of active time per day",
    ]);
  });

  test("[R86] are told in words", () => {
    expect(sayGrantDiff(diffGrants([plain, other], [capped]))).toEqual([
      "- allow shop.look",
      "~ allow shop.book → allow shop.book, where /sum is at most 5",
    ]);
    const [all] = read({
      operation: "shop.book",
      say: "ask",
      where: [
        { at: "/to", oneOf: ["a", "b"] },
        { at: "", equals: null },
        { at: "/id", pattern: "\\d+" },
        { at: "/id", prefix: "7" },
        { at: "/sum", min: 1, max: 2 },
      ],
      limits: [{ per: "day", count: 3, amount: 10.5 }],
      amount: "/sum",
      fourEyes: true,
      expiresAt: 0,
    });
    expect(sayGrant(all as Grant)).toBe(
      'ask shop.book, where /to is one of ["a","b"] and the call is null and /id is like \\d+ ' +
        'and /id begins with "7" and /sum is from 1 to 2, up to 3 calls and an amount of 10.5 ' +
        "per day, " +
        "counting /sum, approved by somebody who did not deploy it, until 1970-01-01 00:00:00 UTC",
    );
  });
});
