import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { cli } from "../testing/run-program.ts";

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-seal-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

function run(data: string, words: readonly string[], { input = "", key = "" } = {}) {
  const env = {
    ...process.env,
    HOLDFAST_DATA: data,
    HOLDFAST_POSTGRES_URL: "",
    HOLDFAST_KEY: key,
    HOLDFAST_KEY_FILE: "",
  };
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...words], { env, input });
  return { status, stdout: stdout.toString(), stderr: stderr.toString() };
}

test("[R129] what seal prints can be written into the accounts file, and needs its key", () => {
  const data = newFolder();
  const sealed = run(data, ["secrets", "seal"], { input: "s3cr3t-token\n" });
  expect(sealed).toMatchObject({ status: 0, stderr: "" });
  expect(sealed.stdout).not.toContain("s3cr3t");
  const token: unknown = JSON.parse(sealed.stdout);
  const auth = { kind: "bearer", token };
  const shop = { connector: "http", baseUrl: "https://shop.example", auth };
  writeFileSync(join(data, "accounts.json"), JSON.stringify({ shop }));
  const key = Buffer.alloc(32).toString("base64url");
  const { status, stderr } = run(data, ["start"], { key });
  expect(status).toBe(3);
  expect(stderr).toMatch(/^SECRET_UNREADABLE: .*shop\.auth\.token[\s\S]*SECRET_UNREADABLE\.md/);
  expect(stderr).not.toContain("s3cr3t");
});

test("nothing to seal is a mistake, and makes no key", () => {
  const data = newFolder();
  expect(run(data, ["secrets", "seal"], { input: "\n" })).toMatchObject({ status: 2, stdout: "" });
  expect(existsSync(join(data, "key"))).toBe(false);
  expect(run(data, ["secrets", "seal"], { input: "x", key: "short" })).toMatchObject({ status: 3 });
});
