import { describe, expect, test } from "vitest";
import { checkRow, checkUnaffected, listGaps, unaffectedKinds } from "./family.ts";
import { phaseFamily } from "./phase-table.ts";

/** What would no longer hold if the row read otherwise. */
const proves: Readonly<Record<string, string>> = {
  prepare: "[R50] only a run that is preparing can finish to prepare",
  finish_mut: "[R50] prepared or mutating goes to mutated",
  record: "[R50] prepared goes to mutating",
  commit: "[R50] a run commits out of next, or straight from prepare with nothing reserved",
  pause: "[R51] a status change never changes the phase",
  "pause+resume": "[R51, R153] the same run goes on at the same phase",
  fail: "[R51] a failure never changes the phase",
  recover: "[R53, R135] before the change everything starts over, after it only next is left",
  "crash+retry": "[R53, R135] before the change everything starts over, after it only next is left",
  "fail+retry": "[R53] before the change everything starts over, after it only next is left",
  skip_event: "[R121] a run is aborted by a skip only before its outside change",
};

describe("every phase of an active run × every command", () => {
  test("the table has the whole product and nothing else", () => {
    expect(listGaps(phaseFamily)).toEqual([]);
  });

  test.each(Object.keys(phaseFamily.rows).map((row) => [row, proves[row] ?? ""]))(
    "%s %s",
    (row) => {
      expect(checkRow(phaseFamily, row)).toEqual([]);
    },
  );

  test.each(unaffectedKinds(phaseFamily))("%s changes nothing here", (kind) => {
    expect(checkUnaffected(phaseFamily, kind)).toEqual([]);
  });
});
