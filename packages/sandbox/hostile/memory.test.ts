import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

test("[S60] memory returns to its level after hostile scripts", () => {
  const program = fileURLToPath(new URL("../testing/hostile-runs.ts", import.meta.url));
  // A young generation that grows as it likes would be most of what is measured.
  const flags = ["--expose-gc", "--max-semi-space-size=4"];
  const printed = execFileSync(process.execPath, [...flags, program], { encoding: "utf8" });
  const [, second = 0, third = 0] = JSON.parse(printed) as readonly number[];
  expect(third / second).toBeLessThan(1.25);
});
