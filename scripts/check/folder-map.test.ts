import { expect, test } from "vitest";
import { checkFolderMap } from "./folder-map.ts";

const tree = [
  "packages/core/index.ts",
  "packages/core/run/decide/a.ts",
  "apps/cli/program.ts",
  "docs/decisions/a.md",
  ".ci/run",
  "README.md",
].map((path) => ({ path, text: "" }));

function problems(...map: string[]): string[] {
  const text = ["# A", "", "## Folder map", "", "```", ...map, "```", "", "## Next"].join("\n");
  const files = [...tree, { path: "ARCHITECTURE.md", text }];
  return checkFolderMap(files).findings.map(({ problem }) => problem);
}

const whole = [
  "packages/core/         decides; pure",
  "packages/core/run/     runs",
  "apps/cli/              the command line",
  "docs/                  pages",
];

test("a map that lists every folder once is fine", () => {
  expect(problems(...whole)).toEqual([]);
});

test("a folder of a package may stand on the line of its package", () => {
  const [, , ...rest] = whole;
  expect(problems("packages/core/    PURE. topic/ and run/", ...rest)).toEqual([]);
});

test.each([
  [0, "the map does not list packages/core/"],
  [1, "the map does not list packages/core/run/"],
  [2, "the map does not list apps/"],
  [3, "the map does not list docs/"],
])("leaving out line %i is reported", (index, problem) => {
  const rest = whole.filter((_, each) => each !== index);
  // packages/core/ stays named by the line of a folder below it, so that one goes too.
  expect(problems(...(index === 0 ? rest.slice(1) : rest))).toContain(problem);
});

test("a folder that does not exist is reported", () => {
  expect(problems(...whole, "packages/gone/    left")).toEqual([
    "the map lists packages/gone/, which does not exist",
  ]);
});

test("a document without a map is reported; no document is a notice", () => {
  expect(checkFolderMap([{ path: "ARCHITECTURE.md", text: "# A" }]).findings).toHaveLength(1);
  expect(checkFolderMap(tree)).toMatchObject({ findings: [], notices: [expect.any(String)] });
});
