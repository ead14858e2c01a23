import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, test } from "vitest";
import { runTool } from "./check/tool-run.ts";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const reporter = fileURLToPath(new URL("./closing-line-reporter.ts", import.meta.url));
const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A real run of Vitest over one planted file; it may not see that it runs inside another one. */
async function runPlanted(text: string) {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-closing-line-"));
  folders.push(folder);
  const config = { test: { globals: true, allowOnly: false, reporters: ["default", reporter] } };
  writeFileSync(join(folder, "vitest.config.mjs"), `export default ${JSON.stringify(config)};`);
  writeFileSync(join(folder, "planted.test.mjs"), text);
  const env = { VITEST: "", VITEST_POOL_ID: "", VITEST_WORKER_ID: "" };
  const { exitCode, output } = await runTool(root, ["vitest", "run", "--root", folder], env);
  return { exitCode, lastLine: output.split("\n").at(-1) };
}

const passing = `test("a", () => {});`;

describe("the last line of a run in which", () => {
  test.each([
    ["all pass", passing, 0, "1 passed, 0 failed"],
    ["one fails", `${passing} test("b", () => { throw 1; });`, 1, "1 passed, 1 failed"],
    ["one is skipped", `${passing} test.skip("b");`, 0, "1 passed, 0 failed, 1 skipped"],
    ["a file does not load", `${passing} throw new Error("a");`, 1, "0 passed, 1 failed"],
    ["a hook throws", `${passing} afterAll(() => { throw 1; });`, 1, "1 passed, 1 failed"],
    [
      "an error is thrown outside of any test",
      `test("a", async () => {
         setTimeout(() => { throw new Error("late"); }, 0);
         await new Promise((resolve) => setTimeout(resolve, 50));
       });`,
      1,
      "1 passed, 1 failed",
    ],
  ])("%s", async (_, text, exitCode, lastLine) => {
    expect(await runPlanted(text)).toEqual({ exitCode, lastLine });
  });
});
