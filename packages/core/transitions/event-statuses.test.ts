import { describe, expect, test } from "vitest";
import { eventFamily } from "./event-table.ts";
import { checkRow, checkUnaffected, listGaps, unaffectedKinds } from "./family.ts";

/** What would no longer hold if the row read otherwise. */
const proves: Readonly<Record<string, string>> = {
  "publish(other)": "[R12, R13] the status stays; only a pending event takes the new content",
  skip_event: "[R121] skipped unless its outside change may have happened",
  skip_input: "[R121] skipped unless its outside change may have happened",
  reprocess_event: "[R125] attempt + 1, refused while a run holds it",
  reprocess_input: "[R125] attempt + 1, refused while a run holds it",
  reset_topic: "[R149] every settled event is pending at attempt + 1; refused while one is held",
  reserve: "[R32] only a pending event can be reserved",
  commit: "[R46] the events a run holds are consumed with its commit",
  stop: "[R153] a stopped run lets go of its events",
  "recover+retry": "[R53] events are released before the change and handed over after it",
};

describe("every event status × every command", () => {
  test("the table has the whole product and nothing else", () => {
    expect(listGaps(eventFamily)).toEqual([]);
  });

  test.each(Object.keys(eventFamily.rows).map((row) => [row, proves[row] ?? ""]))(
    "%s %s",
    (row) => {
      expect(checkRow(eventFamily, row)).toEqual([]);
    },
  );

  test.each(unaffectedKinds(eventFamily))("%s changes nothing here", (kind) => {
    expect(checkUnaffected(eventFamily, kind)).toEqual([]);
  });
});
