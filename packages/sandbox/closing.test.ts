import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

test("who closes a sandbox goes on when it is closed, though an answer came meanwhile", () => {
  const program = fileURLToPath(new URL("./testing/close-unheard.ts", import.meta.url));
  expect(execFileSync(process.execPath, [program], { encoding: "utf8" })).toBe("closed\n");
});
