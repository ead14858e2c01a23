import { describe, expect, test } from "vitest";
import { admitId, admitSize, admitTitle } from "./admit.ts";
import { policyDefaults } from "./policy.ts";

const policy = { ...policyDefaults, idBytesMax: 8, titleCharsMax: 5 };

describe("what may be an id", () => {
  const cases: readonly (readonly [what: string, id: string, admitted: boolean])[] = [
    ["a plain one", "m-1", true],
    ["one with spaces, slashes and other scripts", "a /é", true],
    ["as long as allowed", "12345678", true],
    ["as long as allowed in bytes, shorter in characters", "éééé", true],
    ["four-byte characters up to the limit", "😀😀", true],
    ["empty", "", false],
    ["one byte too long", "123456789", false],
    ["too long in bytes, not in characters", "éééé1", false],
    ["with a line break", "a\nb", false],
    ["with a zero character", "a\u0000b", false],
    ["with a delete character", "a\u007f", false],
    ["with a control character past ASCII", "a\u0085", false],
    ["with the first half of a pair", "a\ud83d", false],
    ["with the second half of a pair", "\ude00a", false],
  ];
  test.each(cases)("%s", (_, id, admitted) => {
    expect(admitId(policy, "messageId", id)?.code ?? null).toBe(admitted ? null : "id_invalid");
  });

  test("the refusal says which id it is about", () => {
    expect(admitId(policy, "kv key", "")?.note).toContain("kv key");
  });
});

describe("titles are for people: cut and mended, never refused", () => {
  const cases: readonly (readonly [what: string, title: string, shown: string])[] = [
    ["short stays as it is", "Order", "Order"],
    ["long is cut with a sign of it", "Orders", "Orde…"],
    ["a pair is never cut in half", "😀😀😀😀😀😀", "😀😀😀😀…"],
    ["half a pair is replaced", "a\ud83d", "a\ufffd"],
    ["empty stays empty", "", ""],
  ];
  test.each(cases)("%s", (_, title, shown) => {
    expect(admitTitle(policy, title)).toBe(shown);
  });
});

test("a size is admitted up to and including its limit", () => {
  expect(admitSize("state in bytes", 10, 10)).toBeNull();
  expect(admitSize("state in bytes", 11, 10)).toEqual({
    code: "limit_exceeded",
    note: "state in bytes: 11 is more than the limit of 10.",
  });
});
