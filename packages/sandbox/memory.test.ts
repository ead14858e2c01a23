import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

test("[S60] 10,000 phases of 200 scripts leave no more memory behind than the first 3,000", () => {
  const program = fileURLToPath(new URL("./testing/many-runs.ts", import.meta.url));
  // How large V8 lets its nursery grow is no matter here, and would hide what is.
  const options = ["--expose-gc", "--max-semi-space-size=4"];
  const printed = execFileSync(process.execPath, [...options, program], { encoding: "utf8" });
  const { atFirst, atEnd } = JSON.parse(printed) as { atFirst: number; atEnd: number };
  expect(atEnd / atFirst).toBeLessThan(1.15);
});
