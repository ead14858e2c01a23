import { describe, expect, test } from "vitest";
import { brakeFamily, questionFamily } from "./desk-tables.ts";
import { checkRow, checkUnaffected, listGaps, unaffectedKinds } from "./family.ts";
import { workflowFamily } from "./workflow-table.ts";

/** What would no longer hold if the row read otherwise. */
const proves: Readonly<Record<string, string>> = {
  start_run: "[R126] runnable is active and without an error",
  start_retry: "[R126] runnable is active and without an error",
  run_now: "[R103, R126] run now is refused when the workflow is paused or has an error",
  pause_workflow: "[R126] a pause leaves the error, which is a field of its own",
  resume_workflow: "[R126] a person resumes, which also clears the error",
  archive_workflow: "[R126] archiving is a person’s, and leaves the error",
};

describe("every workflow status × every command", () => {
  test("the table has the whole product and nothing else", () => {
    expect(listGaps(workflowFamily)).toEqual([]);
  });

  test.each(Object.keys(workflowFamily.rows).map((row) => [row, proves[row] ?? ""]))(
    "%s %s",
    (row) => {
      expect(checkRow(workflowFamily, row)).toEqual([]);
    },
  );

  test.each(unaffectedKinds(workflowFamily))("%s changes nothing here", (kind) => {
    expect(checkUnaffected(workflowFamily, kind)).toEqual([]);
  });
});

describe("every question × every command", () => {
  test("the table has the whole product and nothing else", () => {
    expect(listGaps(questionFamily)).toEqual([]);
  });

  test.each(Object.keys(questionFamily.rows).map((row) => [row, proves[row] ?? ""]))(
    "%s %s",
    (row) => {
      expect(checkRow(questionFamily, row)).toEqual([]);
    },
  );

  test.each(unaffectedKinds(questionFamily))("%s changes nothing here", (kind) => {
    expect(checkUnaffected(questionFamily, kind)).toEqual([]);
  });
});

describe("the brake × every command", () => {
  test("the table has the whole product and nothing else", () => {
    expect(listGaps(brakeFamily)).toEqual([]);
  });

  test.each(Object.keys(brakeFamily.rows).map((row) => [row, proves[row] ?? ""]))(
    "%s %s",
    (row) => {
      expect(checkRow(brakeFamily, row)).toEqual([]);
    },
  );

  test.each(unaffectedKinds(brakeFamily))("%s changes nothing here", (kind) => {
    expect(checkUnaffected(brakeFamily, kind)).toEqual([]);
  });
});
