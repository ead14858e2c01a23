import { describe, expect, test } from "vitest";
import { checkContract, compareIds, findCitations, findDefinitions } from "./contract.ts";
import type { SourceFile } from "./source-files.ts";

// Put together from parts, so that nobody takes these samples for citations.
const cite = (...ids: string[]): string => `[${ids.join(", ")}]`;

const file = (path: string, text: string): SourceFile => ({ path, text });
const citing = (...ids: string[]) => file("a.test.ts", `test("${cite(...ids)} holds", f);`);
const restating = (...ids: string[]) =>
  file("docs/contract.md", ids.map((id) => `- **${id}** what we owe\n`).join(""));

function problems(...files: SourceFile[]): string[] {
  return checkContract(files).findings.map(({ problem }) => problem);
}

describe("citations", () => {
  test.each([
    ["one id", `test("${cite("R31")} a", f)`, ["R31"]],
    ["a list", `test("${cite("R31", "S3")} a", f)`, ["R31", "S3"]],
    ["every group", `test("${cite("L8")} ${cite("M.C-2")}", f)`, ["L8", "M.C-2"]],
    ["a template", `test(\`${cite("R31")} \${name}\`, f)`, ["R31"]],
    ["a comment", `// ${cite("R31")}`, []],
    ["an index in code", `rows${cite("R31")}`, []],
    ["other brackets", `test("[R] [X3] [3]", f)`, []],
  ])("%s", (_, text, ids) => {
    expect([...findCitations([file("a.test.ts", text)]).keys()]).toEqual(ids);
  });

  test("only tests and test suites cite", () => {
    const { text } = citing("R31");
    const paths = ["a.ts", "a.testsuite.ts", "docs/a.md"];
    const cited = findCitations(paths.map((path) => file(path, text)));
    expect(cited.get("R31")).toEqual([{ path: "a.testsuite.ts", line: 1 }]);
  });
});

test("what tests cite and what the document restates is the same list", () => {
  expect(problems(citing("R1", "M.C-2"), restating("R1", "M.C-2"))).toEqual([]);
});

test("an id that is cited but not restated is reported", () => {
  expect(problems(citing("R1", "R2"), restating("R1"))).toEqual([
    "cites R2, which docs/contract.md does not restate",
  ]);
});

test("an id that is restated but not cited, or restated twice, is reported", () => {
  expect(problems(citing("R1"), restating("R1", "R2"))).toEqual([
    "claims R2, but no test cites it",
  ]);
  expect(problems(citing("R1"), restating("R1", "R1"))).toEqual(["R1 is restated twice"]);
});

test("without the document there is a notice and no finding", () => {
  const { findings, notices } = checkContract([citing("R1")]);
  expect(findings).toEqual([]);
  expect(notices).toHaveLength(1);
});

test("definitions are read from lists and from plain lines", () => {
  expect(findDefinitions("R1  a\n- M.C-2 `[C]` b\nS3 c\nsee R4\n")).toEqual(["R1", "M.C-2", "S3"]);
});

test("ids sort by number", () => {
  expect(["R10", "M.C-2", "R2"].sort(compareIds)).toEqual(["M.C-2", "R2", "R10"]);
});
