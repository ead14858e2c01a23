import { expect, test } from "vitest";
import { consumer, Scenario, version } from "../testing/scenario.ts";
import { updateRow } from "../view/row-change.ts";
import { applyProjected } from "./apply.ts";

function shop(): Scenario {
  const s = new Scenario();
  s.do(version(1, 0, { topics: ["orders"], handlers: [consumer("book", ["orders"])] }));
  return s;
}

function changing(s: Scenario, set: object) {
  const view = s.view.fork();
  const fact = { kind: "workflow_resumed", actor: "a" } as never;
  const record = { seq: view.head.seq + 1, at: view.head.at, fact };
  return applyProjected(view, record, [updateRow("handlers", ["book"], set as never)]);
}

test("a row that is as the fact says already is not written again", () => {
  const s = shop();
  const { crashCount, wakeAt } = s.view.load("handlers", "book");
  expect(changing(s, { crashCount, wakeAt })).toEqual([]);
  expect(changing(s, { crashCount, wakeAt: 7 })).toHaveLength(1);
});

test("a state that goes to itself is refused, not passed over", () => {
  const s = shop();
  const view = s.view.fork();
  const { status } = view.load("workflows");
  const record = { seq: view.head.seq + 1, at: view.head.at, fact: { kind: "any" } as never };
  const itself = updateRow("workflows", [], { status });
  expect(() => applyProjected(view, record, [itself])).toThrow("may not go from");
});
