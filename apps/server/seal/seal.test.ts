import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineConnector } from "@holdfast/connector-kit";
import { expect, onTestFinished, test } from "vitest";
import { readAccounts } from "../accounts.ts";
import { readSecrets } from "../secrets.ts";
import { keyPlaceOf, readKey, readOrMakeKey } from "./key.ts";
import { sealText, unsealText } from "./sealed-text.ts";

const key = randomBytes(32);
const place = { kind: "text", text: key.toString("base64url") } as const;
const otherPlace = { kind: "text", text: randomBytes(32).toString("base64url") } as const;

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-seal-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

function fileWith(content: unknown): string {
  const path = join(newFolder(), "accounts.json");
  writeFileSync(path, JSON.stringify(content));
  return path;
}

test("[R129] what is sealed is read with its key, and differs each time", () => {
  for (const text of ["s3cr3t", "", "ü\u{1f511}\n", "x".repeat(5_000)]) {
    const [one, other] = [sealText(text, key), sealText(text, key)];
    expect(unsealText(one, key)).toBe(text);
    expect(one.sealed).not.toBe(other.sealed);
  }
});

test("[R129] another key, or one changed bit anywhere, gives nothing", () => {
  const { sealed } = sealText("s3cr3t", key);
  expect(unsealText({ sealed }, randomBytes(32))).toBeNull();
  const bytes = Buffer.from(sealed, "base64url");
  for (let index = 0; index < bytes.length; index += 1) {
    const changed = Buffer.from(bytes);
    changed[index] = (changed[index] ?? 0) ^ 1;
    expect(unsealText({ sealed: changed.toString("base64url") }, key)).toBeNull();
    const cut = bytes.subarray(0, index).toString("base64url");
    expect(unsealText({ sealed: cut }, key)).toBeNull();
  }
});

test("[R129] the key is made once, for its user only, and never replaced", () => {
  const path = join(newFolder(), "data", "key");
  const made = readOrMakeKey({ kind: "file", path });
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readOrMakeKey({ kind: "file", path })).toEqual(made);
  writeFileSync(path, "broken");
  expect(() => readOrMakeKey({ kind: "file", path })).toThrow(/SECRET_UNREADABLE/);
  expect(readFileSync(path, "utf8")).toBe("broken");
});

test("which key counts: the variable, then the named file, then that of the folder", () => {
  const all = { HOLDFAST_KEY: "k", HOLDFAST_KEY_FILE: "/f" };
  expect(keyPlaceOf(all, "/d")).toEqual({ kind: "text", text: "k" });
  expect(keyPlaceOf({ ...all, HOLDFAST_KEY: "" }, "/d")).toEqual({ kind: "file", path: "/f" });
  expect(keyPlaceOf({}, "/d")).toEqual({ kind: "file", path: join("/d", "key") });
  expect(keyPlaceOf({}, null)).toEqual({ kind: "none" });
});

test.each(["", "AAAA", `${place.text}A`, `${place.text.slice(0, -1)}!`])(
  "the key %j is refused",
  (text) => {
    expect(() => readKey({ kind: "text", text })).toThrow(/SECRET_UNREADABLE/);
  },
);

const seen: unknown[] = [];
const shop = defineConnector<{ timeoutMs: number }>({
  name: "shop",
  version: "1",
  readAccount: (given) => {
    seen.push(given);
    return { timeoutMs: 1 };
  },
  operations: {},
});

test("[R129] a connector gets the texts, wherever in its account they were sealed", () => {
  seen.length = 0;
  const token = sealText("s3cr3t", key);
  const given = { connector: "shop", auth: { token }, list: [{ deep: token }], plain: "p", n: 1 };
  readAccounts(fileWith({ shop: given }), { shop }, place);
  const list = [{ deep: "s3cr3t" }];
  expect(seen).toEqual([{ ...given, auth: { token: "s3cr3t" }, list }]);
  expect(readSecrets(fileWith({ hook: token }), place)).toMatchObject({
    webhooks: { hook: "s3cr3t" },
  });
});

test("[R129] what cannot be read stops the start, with its place and without its text", () => {
  const token = sealText("s3cr3t", key);
  const path = fileWith({ shop: { connector: "shop", auth: { token } } });
  const read = (keyPlace: Parameters<typeof readAccounts>[2]) => () =>
    readAccounts(path, { shop }, keyPlace);
  expect(read(otherPlace)).toThrow(/SECRET_UNREADABLE: .*shop\.auth\.token/);
  expect(read(otherPlace)).not.toThrow(token.sealed);
  expect(read({ kind: "none" })).toThrow(/SECRET_UNREADABLE: .*no key/);
  expect(read({ kind: "file", path: join(newFolder(), "key") })).toThrow(/ENOENT/);
});

test("without anything sealed no key is needed", () => {
  const path = fileWith({ shop: { connector: "shop" } });
  expect(() => readAccounts(path, { shop }, { kind: "none" })).not.toThrow();
});
