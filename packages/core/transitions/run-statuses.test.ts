import { describe, expect, test } from "vitest";
import { checkRow, checkUnaffected, listGaps, unaffectedKinds } from "./family.ts";
import { runFamily } from "./run-table.ts";

/** What would no longer hold if the row read otherwise. */
const proves: Readonly<Record<string, string>> = {
  "start_run(another)":
    "[R55, R56] a workflow has at most one open run, and a blocked one blocks it",
  "pause(rate_limit)": "[R150] waiting for a rate limit is paused:transient",
  "pause(auth)": "[R110, R150] an auth failure waits for a person as paused:approval",
  "pause(permission)": "[R110, R150] a permission failure waits for a person as paused:approval",
  "pause(precondition)": "[R110, R150] a precondition waits for a person as paused:approval",
  "pause(budget)": "[R150] a used-up budget waits as paused:approval",
  "resume(person)": "[R153] a paused run goes on as itself, a failed one does not",
  "resume(person,prep'd)": "[R51, R110] it goes on at the phase it was in",
  "resume(person,mut'ing)": "[R51, R110] it goes on at the phase it was in",
  "resume(person,mut'd)": "[R51, R110] it goes on at the phase it was in",
  "resume(host,due)": "[R110] time alone does not resume what a person has to act on",
  "resume(wf-paused)": "[R126] nothing resumes in a paused workflow",
  "fail(logic)": "[R51] failing does not change the phase",
  "start_retry(ordered)": "[R52, R153] a new run only after failed or crashed, and only once",
  stop_run: "[R153] stopping aborts; what waits for an outcome is not stopped",
  recover_run: "[R135] an active run has crashed, a waiting one waits on",
  activate_version: "a run that failed on the old code is retried on the new one",
};

describe("every run status × every command", () => {
  test("the table has the whole product and nothing else", () => {
    expect(listGaps(runFamily)).toEqual([]);
  });

  test.each(Object.keys(runFamily.rows).map((row) => [row, proves[row] ?? ""]))("%s %s", (row) => {
    expect(checkRow(runFamily, row)).toEqual([]);
  });

  test.each(unaffectedKinds(runFamily))("%s changes nothing here", (kind) => {
    expect(checkUnaffected(runFamily, kind)).toEqual([]);
  });
});
