import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hashText } from "@holdfast/core";
import { expect, onTestFinished, test } from "vitest";
import { readSecrets } from "./secrets.ts";

const value = "k3y-of-the-crm";
const digest = hashText(new TextEncoder().encode(value));

function read(content: object) {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-secrets-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "secrets.json");
  writeFileSync(path, JSON.stringify(content));
  return readSecrets(path, { kind: "none" });
}

const file = { hook: "for a webhook", "crm-key": { value, accounts: ["crm"] } };
const declared = [
  { name: "plain", binding: "crm-key", digest: null },
  { name: "exact", binding: "crm-key", digest },
  { name: "other", binding: "crm-key", digest: hashText(new Uint8Array()) },
  { name: "unbound", binding: "elsewhere", digest: null },
  { name: "hook", binding: "hook", digest: null },
];

test.each([
  ["plain", "crm", { ok: true, text: value }],
  ["exact", "crm", { ok: true, text: value }],
  ["other", "crm", /digest/],
  ["unbound", "crm", /no binding elsewhere/],
  ["undeclared", "crm", /not declared/],
  ["plain", "shop", /may not go to the account shop/],
  // A webhook's secret is for whoever pushes to this host, and leaves it never.
  ["hook", "crm", /no binding hook/],
])("[M.E-11] the secret %s in a call with %s", (name, account, says) => {
  const found = read(file).of(declared).reveal(name, account);
  if (says instanceof RegExp)
    expect(found).toMatchObject({ ok: false, why: expect.stringMatching(says) });
  else expect(found).toEqual(says);
});

test("what a script declares and this host lacks is named", () => {
  expect(read(file).missing(declared)).toEqual([
    "the secret unbound needs the binding elsewhere",
    "the secret hook needs the binding hook",
  ]);
});

test.each([
  [{ value: "short", accounts: [] }],
  [{ value }],
  [{ value, accounts: "crm" }],
  [{ value, accounts: [], more: 1 }],
])("a binding that is none is refused without its value: %j", (binding) => {
  const reading = () => read({ "crm-key": binding });
  expect(reading).toThrow(/ACCOUNTS_UNUSABLE.*crm-key/s);
  expect(reading).not.toThrow(value);
});
