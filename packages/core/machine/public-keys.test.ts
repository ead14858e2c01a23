import { expect, test } from "vitest";
import { PublicKeys } from "./public-keys.ts";

const bytes = (...given: readonly number[]) => new Uint8Array(given);

/** A signature is the key's own bytes and then the statement. */
function newKeys() {
  const looks: number[] = [];
  const keys = new PublicKeys<Uint8Array>({
    open: (publicKey) => publicKey,
    verify: (statement, key, signature) => {
      looks.push(1);
      return String([...key, ...statement]) === String([...signature]);
    },
  });
  const a = { keyId: "a", module: "connector/http@1", publicKey: bytes(1) };
  const b = { keyId: "b", module: "connector/mail@1", publicKey: bytes(2) };
  keys.learn([a, b]);
  return { keys, looks, a, b };
}

test("a key belongs to one executor, and one that nobody named to none", () => {
  const { keys, a, b } = newKeys();
  expect(["a", "b", "c"].map((each) => keys.moduleOf(each))).toEqual([a.module, b.module, null]);
  expect(keys.known).toEqual([a, b]);
  expect(keys.haveAll([b, a])).toBe(true);
  expect(keys.haveAll([{ ...a, module: b.module }])).toBe(false);
  expect(keys.haveAll([{ ...a, publicKey: bytes(1, 0) }])).toBe(false);
  expect(keys.haveAll([{ ...a, keyId: "c" }])).toBe(false);
});

test("what one key signed is not what another did, nor over something else", () => {
  const { keys } = newKeys();
  expect(keys.verify("a", bytes(7), bytes(1, 7))).toBe(true);
  expect(keys.verify("b", bytes(7), bytes(1, 7))).toBe(false);
  expect(keys.verify("a", bytes(8), bytes(1, 7))).toBe(false);
  expect(keys.verify("a", bytes(7), bytes(1, 8))).toBe(false);
  expect(keys.verify("c", bytes(7), bytes(1, 7))).toBe(false);
});

test("what was found good is not looked at twice in a row, what was not always is", () => {
  const { keys, looks } = newKeys();
  for (let times = 0; times < 3; times += 1) keys.verify("a", bytes(7), bytes(1, 7));
  expect(looks).toHaveLength(1);
  for (let times = 0; times < 3; times += 1) keys.verify("a", bytes(7), bytes(1, 9));
  expect(looks).toHaveLength(4);
});
