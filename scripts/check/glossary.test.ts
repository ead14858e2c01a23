import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { checkGlossary, nameContains, parseGlossary } from "./glossary.ts";

const words = parseGlossary(`
| word | meaning | never | why |
|---|---|---|---|
| run | one attempt | *execution*, attempt | short |
| mutation | one outside change | \`side effect\`, write | exact |

| write | never |
|---|---|
| canceled | *cancelled* |
| Id | *ID* |
`);

function problems(path: string, text: string): string[] {
  return checkGlossary([{ path, text }], words).flatMap(({ subject, size }) =>
    Array<string>(size).fill(subject),
  );
}

test("the tables are read: code for everywhere, emphasis for names, plain words for people", () => {
  expect(words).toEqual([
    { banned: "execution", instead: "run", scope: "names" },
    { banned: "side effect", instead: "mutation", scope: "names and prose" },
    { banned: "cancelled", instead: "canceled", scope: "names" },
    { banned: "ID", instead: "Id", scope: "names" },
  ]);
});

describe("a forbidden word is reported in", () => {
  test.each([
    ["a variable", "const lastExecution = 1;"],
    ["a function", "function startExecution() {}"],
    ["a parameter", "const f = (execution: number) => 1;"],
    ["a type", "type ExecutionList = 1;"],
    ["a member of a type", "type A = { executionCount: number };"],
    ["a method", "class A { execution() {} }"],
    ["a status", `type A = "in_execution";`],
    ["a renamed import", `import { a as execution } from "a";`],
    ["a renamed field", "const { a: execution } = b;"],
    ["a constant, plural", "const EXECUTIONS_MAX = 1;"],
    ["a spelling", "let isCancelled = true;"],
    ["an upper-case id", "let messageID = 1;"],
    ["a comment", "// has no side effects"],
    ["a comment, hyphenated", "/** A side-effect. */"],
    ["two words of a name", "let sideEffect = 1;"],
  ])("%s", (_, text) => {
    expect(problems("a.ts", text)).toHaveLength(1);
  });

  test("a file name and a page", () => {
    expect(problems("packages/core/execution-list.ts", "")).toEqual(["execution"]);
    expect(problems("docs/a.md", "It has a side effect.")).toEqual(["side effect"]);
  });
});

describe("nothing is reported for", () => {
  test.each([
    ["a name of someone else", `import { execution } from "a"; a.execution();`],
    ["a field of someone else", "const { execution } = a;"],
    ["a key handed to someone else", "f({ execution: 1 });"],
    ["a string", `f("execution and side effect");`],
    ["prose about a word of names", "// the order of execution"],
    ["an id", "let messageId = 1; const ID_MAX = 1;"],
    ["a word inside another", "let executioner = 1; let besideEffect = 1;"],
    ["code in a comment", "// see `side effect`"],
  ])("%s", (_, text) => {
    expect(problems("a.ts", text)).toEqual([]);
  });

  test("the glossary itself and code in a page", () => {
    expect(problems("GLOSSARY.md", "side effect")).toEqual([]);
    expect(problems("docs/a.md", "```\nside effect\n```\n`side effect`")).toEqual([]);
  });
});

test.each([
  ["sideEffect", true],
  ["SIDE_EFFECTS", true],
  ["a-side-effect-b", true],
  ["effectSide", false],
  ["workflow", false],
])("%s contains the two words: %s", (name, expected) => {
  expect(nameContains(name, "side effect")).toBe(expected);
});

test("no word of the real glossary is both ours and forbidden", () => {
  const markdown = readFileSync(new URL("../../GLOSSARY.md", import.meta.url), "utf8");
  const real = parseGlossary(markdown);
  const ours = new Set(real.flatMap(({ instead }) => instead.split(" / ")));
  expect(real.length).toBeGreaterThan(20);
  expect(real.filter(({ banned }) => ours.has(banned))).toEqual([]);
});
