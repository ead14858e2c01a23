import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

test("[M.C-12] [M.K7.7-4] two processes that lived the same have one image, to the byte", () => {
  const program = fileURLToPath(new URL("testing/print-image.ts", import.meta.url));
  // Another seed for hashing, so that nothing relies on where an engine puts things.
  const [one, two] = [1, 2].map((seed) =>
    execFileSync(process.execPath, [`--hash-seed=${seed}`, program], { encoding: "utf8" }),
  );
  const hash = expect.stringMatching(/^sha256:/);
  expect(JSON.parse(one ?? "")).toEqual({ recordCount: 294, journal: hash, image: hash });
  expect(two).toBe(one);
});
