import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { hostFlags } from "./host-flags.js";

const cli = fileURLToPath(new URL("./holdfast.js", import.meta.url));
const told =
  "console.error(process.pid, ...process.execArgv.filter((word) => word.startsWith('--max')))";
const tell = `data:text/javascript,${encodeURIComponent(told)}`;

/** Each time that Node begins: which process it is, and what it was told of its memory. */
function beginnings(words: readonly string[], options = ""): readonly string[] {
  const env = { ...process.env, NODE_OPTIONS: options };
  const given = ["-c", 'exec "$@" 2>&1 >/dev/null', "sh", process.execPath, "--import", tell, cli];
  return execFileSync("sh", [...given, ...words], { env, encoding: "utf8" })
    .trim()
    .split("\n");
}

test("a host begins with flags of its own, in the process that was started", () => {
  const [first = "", second] = beginnings(["start", "--help"]);
  expect(first).toMatch(/^\d+$/);
  expect(second).toBe(`${first} ${hostFlags.join(" ")}`);
});

test("where somebody else chose how large it may be, it stays", () => {
  const chosen = "--max-semi-space-size=4";
  expect(beginnings(["start", "--help"], chosen)).toEqual([expect.stringMatching(/^\d+/)]);
});

test("other commands begin once", () => {
  expect(beginnings(["--help"])).toEqual([expect.stringMatching(/^\d+$/)]);
});
