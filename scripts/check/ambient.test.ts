import { describe, expect, test } from "vitest";
import { checkAmbient } from "./ambient.ts";

function problems(text: string, path = "packages/core/run/a.ts"): string[] {
  return checkAmbient([{ path, text }]).map(({ problem }) => problem);
}

describe("core is told apart from the world:", () => {
  test.each([
    "Date.now()",
    "const clock = Date.now",
    `Date["now"]()`,
    "new Date()",
    "Date()",
    "Math.random()",
    "performance.now()",
    "setTimeout(f, 1)",
    "setInterval(f, 1)",
    "setImmediate(f)",
    "queueMicrotask(f)",
    "process.env",
    "const { env } = process",
    "crypto.subtle",
    `import { randomUUID } from "node:crypto"`,
    `import { randomBytes as draw } from "node:crypto"`,
    "globalThis.a",
    `fetch("a")`,
    "console.log(1)",
    "const use = { console }",
    "async () => 1",
    "async function f() {}",
    "class A { async f() {} }",
    "Promise.resolve(1)",
    "new Promise(f)",
    `"a".localeCompare("b")`,
    "date.getHours()",
    "new Intl.Collator()",
    "import.meta.url",
  ])("%s is reported once", (text) => {
    expect(problems(text)).toHaveLength(1);
  });

  test.each([["await 1"], ["for await (const a of b) {}"]])("%s is reported", (text) => {
    expect(problems(`async () => { ${text} }`)).toHaveLength(2);
  });

  test.each([
    "new Date(at)",
    "Date.UTC(2020, 1)",
    "date.getUTCHours()",
    "Math.max(1, 2)",
    "type Port = { fetch(): Promise<void>; process: string }",
    "const options = { performance: 1 }; options.performance",
    "function* steps() { yield 1; }",
    "// setTimeout would be wrong here",
    `const text = "Date.now"`,
    `import { createHash } from "node:crypto"`,
  ])("%s is not reported", (text) => {
    expect(problems(text)).toEqual([]);
  });
});

test("tests of core and code outside of core may look at the world", () => {
  expect(problems("Date.now()", "packages/core/run/a.test.ts")).toEqual([]);
  expect(problems("Date.now()", "packages/host/a.ts")).toEqual([]);
});

test("the message names what to do instead", () => {
  const [finding] = checkAmbient([{ path: "packages/core/a.ts", text: "\nDate.now()" }]);
  expect(finding).toMatchObject({ line: 2, mend: expect.stringContaining("parameter") });
});
