import { expect, test } from "vitest";
import { producer, Scenario, version } from "../testing/scenario.ts";

test("[R155] a new attempt at an item waits until the stopped host can no longer send", () => {
  const s = new Scenario();
  const tidy = { ...producer("tidy"), kind: "job" } as const;
  s.do(version(1, 0, { topics: [], handlers: [tidy] }));
  const runId = s.start("tidy");
  s.do({ kind: "enter_item", runId, itemId: "i1", title: "Item 1" });
  const { mutationId } = s.send(runId, { subkey: "one", canReconcile: false });
  s.do({ kind: "recover_run", incarnation: "another" });
  const { quietFrom, state } = s.view.load("mutations", mutationId);
  expect(state).toBe("indeterminate");
  const again = { kind: "reprocess_items", itemIds: ["i1"], actor: "ada" } as const;
  expect(s.refused(again)).toBe("host_may_still_be_sending");
  s.now = quietFrom ?? 0;
  s.do(again);
  expect(s.view.load("items", "i1")).toMatchObject({ attempt: 2, status: "processing" });
});
