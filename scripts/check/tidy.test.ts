import { describe, expect, test } from "vitest";
import type { SourceFile } from "./source-files.ts";
import { checkNames, checkSizes, limits, listBigFiles } from "./tidy.ts";

function sizes(path: string, text: string) {
  return checkSizes([{ path, text }]).map(({ rule, subject, size }) => ({ rule, subject, size }));
}

const lines = (count: number): string => "a();\n".repeat(count);
const functionOf = (count: number): string => `function f() {\n${lines(count - 2)}}\n`;

describe("a file", () => {
  test("is reported one line above the limit and not at it", () => {
    const size = limits.fileLinesMax + 1;
    expect(sizes("a.ts", lines(size))).toEqual([{ rule: "file-lines", subject: "", size }]);
    expect(sizes("a.ts", lines(limits.fileLinesMax))).toEqual([]);
  });

  test("above the soft limit is only listed", () => {
    const file: SourceFile = { path: "a.ts", text: lines(limits.fileLinesSoftMax + 1) };
    expect(listBigFiles([file])).toHaveLength(1);
    expect(checkSizes([file])).toEqual([]);
    expect(listBigFiles([{ ...file, text: lines(limits.fileLinesSoftMax) }])).toEqual([]);
  });

  test("of prose may be long", () => {
    expect(sizes("a.md", lines(1000))).toEqual([]);
  });
});

describe("a function", () => {
  const size = limits.functionLinesMax + 1;

  test("is reported one line above the limit and not at it", () => {
    expect(sizes("a.ts", functionOf(size))).toEqual([
      { rule: "function-lines", subject: "f", size },
    ]);
    expect(sizes("a.ts", functionOf(size - 1))).toEqual([]);
  });

  test.each([
    ["g", `const g = () => {\n${lines(59)}}`],
    ["h", `class A { h() {\n${lines(59)}} }`],
    ["k", `const a = { k() {\n${lines(59)}} }`],
  ])("is known by its name %s", (subject, text) => {
    expect(sizes("a.ts", text)).toEqual([{ rule: "function-lines", subject, size: 61 }]);
  });

  test("that lists tests may be long, the test itself may not", () => {
    const long = `test("b", () => {\n${lines(59)}});\n`;
    const short = `test("c", () => {\n${lines(30)}});\n`;
    const suite = (inner: string) => `describe("a", () => {\n${inner}});`;
    expect(sizes("a.test.ts", suite(short.repeat(3)))).toEqual([]);
    expect(sizes("a.test.ts", suite(long))).toMatchObject([{ subject: "b", size: 61 }]);
    expect(sizes("a.ts", suite(short.repeat(3)))).toHaveLength(1);
  });
});

test("a line is reported one character above the limit and not at it", () => {
  const line = (length: number): string => `//${"x".repeat(length - 2)}\n`;
  const long = line(limits.lineCharsMax + 1);
  expect(sizes("a.ts", long + long)).toEqual([{ rule: "line-chars", subject: "", size: 2 }]);
  expect(sizes("a.ts", line(limits.lineCharsMax))).toEqual([]);
  expect(sizes("a.md", long)).toEqual([]);
});

describe("a name", () => {
  test.each([
    "packages/core/utils.ts",
    "packages/core/string-utils.ts",
    "packages/core/helpers/text.ts",
    "packages/core/types.ts",
    "packages/core/common.ts",
    "packages/core/run-manager.ts",
    "packages/core/mail-service.test.ts",
    "packages/core/RunStatus.ts",
    "packages/core/run_status.ts",
  ])("%s is reported", (path) => {
    expect(checkNames([{ path, text: "" }])).toHaveLength(1);
  });

  test.each([
    "packages/core/run/run-status.ts",
    "packages/core/canonical/schema-types.ts",
    "packages/store/testing/store.testsuite.ts",
    "vitest.config.ts",
    "docs/errors/STORE_LOCKED.md",
  ])("%s is not reported", (path) => {
    expect(checkNames([{ path, text: "" }])).toEqual([]);
  });
});
