import { describe, expect, test } from "vitest";
import { checkLeftovers } from "./leftovers.ts";

function problems(path: string, text: string): string[] {
  return checkLeftovers([{ path, text }]).map(({ problem }) => problem);
}

describe("a mark", () => {
  test.each([
    ["a.ts", "// FIXME later"],
    ["a.ts", "/* a\n * XXX b\n */"],
    ["a.md", "HACK: do not look"],
    ["a.sql", "-- FIXME later"],
  ])("in %s is reported: %s", (path, text) => {
    expect(problems(path, text)).toHaveLength(1);
  });

  test.each([
    ["a.ts", `const marks = "FIXME";`],
    ["a.md", "no `FIXME` stays behind"],
    ["a.md", "```\nFIXME\n```"],
  ])("that is only spoken about in %s is not: %s", (path, text) => {
    expect(problems(path, text)).toEqual([]);
  });
});

describe("a test", () => {
  test.each([
    `test.skip("a", f)`,
    `it.only("a", f)`,
    `describe.todo("a")`,
    `test.each([1]).only("a", f)`,
    `test.skipIf(true)("a", f)`,
    `context.skip()`,
  ])("that is switched off is reported: %s", (text) => {
    expect(problems("a.test.ts", text)).toHaveLength(1);
  });

  test.each([`test("a", f)`, `test.each([1])("a", f)`, `events.skip(1)`, `// test.skip`])(
    "that runs is not: %s",
    (text) => {
      expect(problems("a.test.ts", text)).toEqual([]);
    },
  );
});

describe("a trace of one machine", () => {
  // Put together from parts, so that this file passes the rule it tests.
  const path = (name: string): string => `/${name}/`;
  const host = ["registry", "npmjs", "org"].join(".");

  test.each([
    ["a.ts", `const dir = "${path("home")}me/a";`],
    ["a.md", `see ${path("root")}notes`],
    ["a.json", `{ "dir": "${path("work")}main" }`],
    [".npmrc", `registry=https://${host}/`],
    ["package-lock.json", `"resolved": "https://${host}/a.tgz"`],
  ])("in %s is reported", (file, text) => {
    expect(problems(file, text)).toHaveLength(1);
  });

  test.each([
    ["a.ts", `import "./work/a.ts";`],
    ["a.ts", `const url = "https://example.org/home/";`],
    ["a.md", "the operation registry is a table"],
  ])("is not seen in %s: %s", (file, text) => {
    expect(problems(file, text)).toEqual([]);
  });
});
