import { describe, expect, test } from "vitest";
import { checkRow, checkUnaffected, listGaps, unaffectedKinds } from "./family.ts";
import { ledgerFamily } from "./ledger-table.ts";

/** What would no longer hold if the row read otherwise. */
const proves: Readonly<Record<string, string>> = {
  send: "[R61] only what is ready is sent",
  resend: "[R75] the same bytes go out again only while the provider remembers their key",
  "resend(over)": "[R75] not after the provider may have forgotten the key",
  "unsent(other)": "[R155] only the sender can know that nothing was sent",
  "settle(auth)": "[R110] a person has to act, and nothing is retried meanwhile",
  "settle(permission)": "[R110] a person has to act, and nothing is retried meanwhile",
  "settle(precondition)": "[R110] a person has to act, and nothing is retried meanwhile",
  "settle(rate-limited)": "[R150] waiting for a rate limit is paused:transient",
  "answer(too-soon)": "[R68] not found is no proof before the visibility delay",
  "answer(undeclared)": "[R68] not found is never proof without a declared delay",
  "resolve(again)": "[R71] try again goes back to finding out",
  "resolve(again,mute)": "[R71] try again needs a way to find out",
  "resolve(did-not)": "[R72] it did not happen",
  "resolve(skip)": "[R73] skip is a resolution on the row, not a state",
  "late(applied)": "[R161] a settled or skipped row never changes",
  "recover(other)": "[R135] sending takes the uncertain path, applied goes on at next",
  start_run: "[R56, R69] nothing starts while the run is open",
  stop_run: "[R153] a run is aborted only while nothing can have reached the outside",
  skip_event: "[R121] a held event is skipped only before the outside change",
  record_mutation: "[R62] a run has at most one call whose outcome is open",
  reset_topic: "[R149] no topic is reset while one of its events is held",
  reprocess_event: "[R69, R125] no event is reprocessed while a run holds it",
};

describe("every ledger state × every command", () => {
  test("the table has the whole product and nothing else", () => {
    expect(listGaps(ledgerFamily)).toEqual([]);
  });

  test.each(Object.keys(ledgerFamily.rows).map((row) => [row, proves[row] ?? ""]))(
    "%s %s",
    (row) => {
      expect(checkRow(ledgerFamily, row)).toEqual([]);
    },
  );

  test.each(unaffectedKinds(ledgerFamily))("%s changes nothing here", (kind) => {
    expect(checkUnaffected(ledgerFamily, kind)).toEqual([]);
  });
});
