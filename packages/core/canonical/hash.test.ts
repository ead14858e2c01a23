import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { contentHash, hashText, parseHash, sha256 } from "./hash.ts";

const abc = new TextEncoder().encode("abc");
const abcHex = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

describe("hash", () => {
  test("gives the published digest of abc, raw and as text", () => {
    expect(Buffer.from(sha256(abc)).toString("hex")).toBe(abcHex);
    expect(hashText(abc)).toBe(`sha256:${abcHex}`);
  });

  test("gives raw hashes as plain bytes, the form canonical values hold", () => {
    expect(Object.getPrototypeOf(sha256(abc))).toBe(Uint8Array.prototype);
  });

  test("hashes the tag together with the value", () => {
    const expected = createHash("sha256").update(Buffer.from("d9d9f7a0", "hex")).digest("hex");
    expect(contentHash({})).toBe(`sha256:${expected}`);
  });

  test("does not depend on the order in which a record was written", () => {
    expect(contentHash({ a: 1, b: { c: 2, d: 3 } })).toBe(contentHash({ b: { d: 3, c: 2 }, a: 1 }));
  });

  test.each([
    [`sha256:${abcHex}`, true],
    [abcHex, false],
    [`sha256:${abcHex.toUpperCase()}`, false],
    [`SHA256:${abcHex}`, false],
    [`sha256:${abcHex.slice(1)}`, false],
    [`sha256:${abcHex}0`, false],
    [`sha256:${abcHex}\n`, false],
    [` sha256:${abcHex}`, false],
    ["", false],
    [null, false],
    [5, false],
    [[`sha256:${abcHex}`], false],
  ])("parses %j: %s", (text, isHash) => {
    expect(parseHash(text)).toBe(isHash ? text : null);
  });
});
