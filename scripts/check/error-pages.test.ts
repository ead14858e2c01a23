import { expect, test } from "vitest";
import { checkErrorPages } from "./error-pages.ts";
import type { SourceFile } from "./source-files.ts";

const table = file(
  "packages/core/ports/error-codes.ts",
  `export const errorCodes = { STORE_LOCKED: "another process holds it" } as const;`,
);
const page = file("docs/errors/STORE_LOCKED.md", "# STORE_LOCKED\n");
const raise = file("packages/store/a.ts", `throw new HostError({ code: "STORE_LOCKED" });`);

function file(path: string, text: string): SourceFile {
  return { path, text };
}

function problems(...files: SourceFile[]): string[] {
  return checkErrorPages(files).findings.map(({ problem }) => problem);
}

test("a code with its page and a place that raises it is fine", () => {
  expect(problems(table, page, raise)).toEqual([]);
});

test("without a table there is a notice and no finding", () => {
  expect(checkErrorPages([page])).toMatchObject({ findings: [], notices: [expect.any(String)] });
});

test("a code without a page is reported", () => {
  expect(problems(table, raise)).toEqual(["STORE_LOCKED has no page"]);
});

test("a page that is about something else is reported", () => {
  const wrong = file(page.path, "# STORE_FULL\n");
  expect(problems(table, wrong, raise)).toEqual([expect.stringContaining("does not begin")]);
});

test("a page without a code is reported, a README beside the pages is not", () => {
  const stray = file("docs/errors/STORE_GONE.md", "# STORE_GONE\n");
  const readme = file("docs/errors/README.md", "# Errors\n");
  expect(problems(table, page, raise, stray, readme)).toEqual([
    "STORE_GONE is not a code of the table",
  ]);
});

test("a code that only tests mention is reported", () => {
  const onlyTest = file("packages/store/a.test.ts", raise.text);
  expect(problems(table, page, onlyTest)).toEqual(["nothing raises STORE_LOCKED"]);
});

test("a raised code outside the table is reported, a foreign one that is compared is not", () => {
  const unknown = file("packages/store/b.ts", `fail({ code: "STORE_GONE" });`);
  const foreign = file("packages/store/c.ts", `if (error.code === "ERR_SQLITE_ERROR") f();`);
  expect(problems(table, page, raise, unknown, foreign)).toEqual([
    "STORE_GONE is not in the table of error codes",
  ]);
});

test("reasons why a script was ended have their pages too", () => {
  const failures = file(
    "packages/sandbox/failure.ts",
    `export const failureCodes = { SCRIPT_HEAP: "too much memory" } as const;`,
  );
  const fail = file("packages/sandbox/a.ts", `fail("SCRIPT_HEAP");`);
  expect(problems(table, page, raise, failures, fail)).toEqual(["SCRIPT_HEAP has no page"]);
});
