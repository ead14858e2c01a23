import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compilePattern, patternTextCharsMax } from "./pattern.ts";

function matches(pattern: string, text: string): boolean | string | null {
  const compiled = compilePattern(pattern);
  return typeof compiled === "function" ? compiled(text) : compiled.fault;
}

describe("a pattern", () => {
  test.each<readonly [string, string, boolean | null]>([
    ["abc", "abc", true],
    ["abc", "xabc", false],
    ["^abc$", "abc", true],
    ["a.c", "a\nc", null],
    ["a.c", "a\nb", false],
    ["a[^b]c|a.d", "a\nc", true],
    [".*\\.b.*", "a\n.b\n", null],
    ["a|bc", "bc", true],
    ["(a|b)+c?", "abab", true],
    ["[a-c0-9_-]*", "b-7_", true],
    ["[^/]+", "a/b", false],
    ["\\d{4}-\\d{2}", "2026-01", true],
    ["\\d{4}-\\d{2}", "2026-1", false],
    ["a{2,}", "a", false],
    ["a{2,}", "aaaa", true],
    ["a{0,2}", "aaa", false],
    ["\\$\\.\\\\", "$.\\", true],
    ["(?:ab)*", "abab", true],
    ["", "", true],
    ["é𐀀?", "é𐀀", true],
  ])("[S54] %s against %j: %s", (pattern, text, expected) => {
    expect(matches(pattern, text)).toBe(expected);
  });

  test.each([
    ["(", "there is a ( without a )"],
    [")", "there is a ) without a ("],
    ["[a", "it ends too early"],
    ["*a", "there is a * where a character should be"],
    ["(?=a)", "a group cannot look ahead or back, and has no name"],
    ["(?<n>a)", "a group cannot look ahead or back, and has no name"],
    ["\\1", "there is no \\1"],
    ["\\b", "there is no \\b"],
    ["a{3,2}", "{3,2} counts backwards"],
    ["a{101}", "a repeat is a number up to 100"],
    ["(a{100}){100}", "it repeats too much"],
    ["[z-a]", "z-a is not a range"],
    ["a".repeat(201), "a pattern has at most 200 characters"],
  ])("that cannot be understood is refused: %s", (pattern, fault) => {
    expect(matches(pattern, "")).toBe(fault);
  });

  /** Each would keep an engine that goes back busy for longer than the world will last. */
  test.each(["(a*)*b", "(a|a)*b", "(a+)+b", "(a|aa)+b", "((a*)*)*b", "(.*)*(.*)*b"])(
    "that tries to blow up is answered all the same: %s",
    (pattern) => {
      expect(matches(pattern, "a".repeat(patternTextCharsMax))).toBe(false);
    },
  );

  test("cannot be told of text that is too long to be looked at", () => {
    expect(matches("a*", "a".repeat(patternTextCharsMax))).toBe(true);
    expect(matches("a*", "a".repeat(patternTextCharsMax + 1))).toBeNull();
  });

  const atom = fc.constantFrom("a", "b", ".", "[ab]", "[^a]", "\\d", "1");
  const { node } = fc.letrec<{ node: string }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 3 },
      atom,
      fc.tuple(tie("node"), tie("node")).map(([left, right]) => `${left}${right}`),
      fc.tuple(tie("node"), tie("node")).map(([left, right]) => `(${left}|${right})`),
      fc
        .tuple(tie("node"), fc.constantFrom("*", "+", "?", "{2}", "{1,2}", "{0,}"))
        .map(([inner, times]) => `(${inner})${times}`),
    ),
  }));

  test("says what the engine of the platform says, where that one comes to an end", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b", "1", "-"), maxLength: 6 });
    const property = fc.property(node, text, (pattern, given) => {
      expect(matches(pattern, given)).toBe(new RegExp(`^(?:${pattern})$`, "u").test(given));
    });
    fc.assert(property, { numRuns: 500 });
  });
});
