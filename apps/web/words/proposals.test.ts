import { describe, expect, test } from "vitest";
import { cellOfId } from "./cell-ids.ts";
import { sayTraced, sayTraceState, sayWaits, whoseRecord } from "./machine-trace.ts";
import {
  countObstacles,
  groupDeltas,
  groupObstacles,
  isFree,
  mayWait,
  newFaults,
  sayChange,
  sayHorizon,
  sayProposal,
} from "./proposals.ts";

const none = {
  instancesWaiting: 0,
  intentsOpen: 0,
  timersSet: 0,
  instancesReady: 0,
  eventsWaiting: 0,
  cellsUnfit: 0,
};
const obstacle = { cell: "o/p@1::", intentId: null, effect: null, waiting: 0, note: "", next: "" };

describe("words for proposals", () => {
  test("a cell is named by its id where its key is text or a small number", () => {
    const table = [
      ["o/parcel@1::d9d9f763702d31", "parcel p-1", '"p-1"'],
      ["o/parcel@1::d9d9f707", "parcel 7", "7"],
      ["o/tally@2::", "tally (form 2)", null],
      ["o/parcel@1::d9d9f7a0", "parcel d9d9f7a0", undefined],
    ] as const;
    for (const [id, name, keyText] of table) {
      expect(cellOfId(id)).toMatchObject({ name, keyText });
    }
    const long = `d9d9f77818${"61".repeat(24)}`;
    expect(cellOfId(`o/parcel@1::${long}`).name).toBe(`parcel ${"a".repeat(24)}`);
    // One byte is missing: what cannot be read is not guessed.
    expect(cellOfId(`o/parcel@1::${long.slice(0, -2)}`).keyText).toBeUndefined();
  });

  test("[M.G-1] each status says what is to be done next", () => {
    const of = (status: string, waits = false) => sayProposal({ status, waits }).text;
    expect(["submitted", "shadowed", "approved", "applied", "rejected"].map((s) => of(s))).toEqual([
      "to be tried",
      "to be decided",
      "agreed to, not applied",
      "applied",
      "turned down",
    ]);
    expect(of("approved", true)).toBe("applied as soon as it can");
    expect(sayChange("orders/parcel@1 is changed")).toBe("parcel is changed");
  });

  test("[M.A-2] what stands in the way is told by reason, with what to do", () => {
    const items = [
      { ...obstacle, why: "timer_set" },
      { ...obstacle, why: "intent_open" },
      { ...obstacle, why: "timer_set" },
      { ...obstacle, why: "of_a_later_host", note: "as it says", next: "do this", cell: null },
    ];
    const said = groupObstacles(items).map(({ what, todo, items: own }) => [
      what,
      todo,
      own.length,
    ]);
    expect(said).toEqual([
      ["Asleep until a timer", "It fires by itself; or take it back.", 2],
      ["Waiting for an answer", expect.stringContaining("taken back"), 1],
      ["as it says", "do this", 1],
    ]);
    const counts = { ...none, instancesWaiting: 2, cellsUnfit: 1 };
    expect(countObstacles({ counts, items, left: 0 })).toBe(
      "2 wait for an answer · 1 does not fit",
    );
    expect(countObstacles({ counts: none, items: [], left: 0 })).toBeNull();
    expect(mayWait({ counts: none, items: items.slice(0, 3), left: 0 })).toBe(true);
    // What does not go by itself is not waited for.
    expect(mayWait({ counts, items: items.slice(0, 3), left: 0 })).toBe(false);
    expect(mayWait({ counts: none, items, left: 0 })).toBe(false);
  });

  test("[M.G-2] what is stale is not free, though nothing of it is counted", () => {
    const stale = { ...obstacle, why: "base_stale", cell: null };
    const obstacles = { counts: none, items: [stale], left: 0 };
    expect(isFree(obstacles)).toBe(false);
    expect(mayWait(obstacles)).toBe(false);
    expect(groupObstacles(obstacles.items)[0]?.todo).toContain("Propose it anew");
    expect(isFree({ ...obstacles, items: [] })).toBe(true);
  });

  test("[M.G-5] cells that end differently in the same way are told once", () => {
    const end = { status: "waiting", stateHash: "a", state: {} };
    const changes = [{ at: "/note/text", to: "two" }];
    const deltas = [
      { cell: "a", before: end, after: end, changes },
      { cell: "b", before: end, after: end, changes },
      { cell: "c", before: null, after: { ...end, status: "completed" }, changes: [] },
    ];
    expect(groupDeltas(deltas)).toEqual([
      {
        says: "waiting for an answer",
        changes: [{ name: "note.text", from: "–", to: "two" }],
        cells: ["a", "b"],
      },
      { says: "not there → done", changes: [], cells: ["c"] },
    ]);
  });

  test("[M.G-7] what was tried is said, and what was not answered", () => {
    const horizon = { inputs: 2, inputsRefused: [], unanswered: ["http/post@1"], isEndless: false };
    const report = { horizon, effects: [1], faults: [{ cell: "a", code: "x" }], deltas: [] };
    expect(newFaults({ ...report, deltas: [{ cell: "a" }] } as never)).toHaveLength(1);
    expect(sayHorizon(report as never)).toBe(
      "2 things that came in tried on a copy, nothing sent · 1 thing asked for · " +
        "no new mistakes · everything ends as it does now · " +
        "what it asked for was left without an answer",
    );
    const notTaken = { ...horizon, inputsRefused: ["seeds.0: event.topic_unknown (nope)"] };
    expect(sayHorizon({ ...report, horizon: notTaken } as never)).toContain("1 thing not taken");
  });
});

describe("words for a trace", () => {
  const record = { machine: "o/parcel@1", key: "p-1", intent_hash: "ab", params: { path: "/x" } };
  const fault = "workflow.step_fault";
  const items = [
    {
      seq: 1,
      kind: "domain_event",
      cause: null,
      record: { topic: "t", stamp: { now_ns: "5000000" } },
    },
    { seq: 2, kind: "step", cause: 1, record },
    { seq: 3, kind: "effect_intent", cause: 2, record: { ...record, effect: "http/get@1" } },
    { seq: 4, kind: fault, cause: 1, record: { ...record, name: fault, code: "step.fuel" } },
  ];

  test("[M.K7.8-4] every record has its words, its time and its cell", () => {
    const said = items.map((item) => sayTraced(item as never, items as never));
    expect(said.map(({ text, at }) => [text, at])).toEqual([
      ["came in: t", 5],
      ["its script looked at it", 5],
      ["asked: GET /x", 5],
      ["its script made a mistake: it did not come to an end.", 5],
    ]);
    expect(items.map((item) => whoseRecord(item as never))).toEqual([
      null,
      "parcel p-1",
      "parcel p-1",
      "parcel p-1",
    ]);
  });

  const rest = { isStrict: true, instances: 0, intents: 0, timers: 0, queued: 0, inputs: 0 };
  const waits = {
    intents: [{ intentId: "ab", effect: "http/get@1", cell: "o/parcel@1::", age: 1 }],
    instances: [],
    ...{ waiting: 0, queued: 0, pending: 0 },
    quiescence: rest,
  };

  test("[M.K7.8-4] what it waits for is told line by line, and what else is under way", () => {
    const quiet = "Nothing is under way in all of the workflow's machines.";
    const of = (more: object) => sayWaits({ waits: { ...waits, ...more }, items: items as never });
    expect(of({})).toEqual(["waits for GET /x, asked for 1 record ago", quiet]);
    expect(of({ intents: [{ ...waits.intents[0], intentId: "cd", age: 1_200 }] })[0]).toBe(
      "waits for get, asked for 1,200 records ago",
    );
    expect(of({ intents: [], waiting: 5, queued: 3, pending: 1 })).toEqual([
      "3 things to look at: its turn comes",
      "2 things left to those that stopped",
      "1 answer here, and not looked at yet",
      quiet,
    ]);
    const quiescence = { ...rest, isStrict: false, instances: 2, timers: 1, queued: 1, inputs: 3 };
    expect(of({ intents: [], quiescence })).toEqual([
      "Under way in all of the workflow's machines: 2 instances, 1 timer, 4 things to look at.",
    ]);
  });

  test("[M.K7.8-5] a verdict is a sentence, with what is waited for", () => {
    const of = (cause: string, note = "") =>
      sayTraceState({
        diagnosis: { cause, note, next: "", seq: null, intentId: null, eventHash: null },
        waits,
        items: items as never,
      });
    expect(of("waiting_receipt").said.text).toBe("1 answer to come: GET /x");
    expect(of("invariant_violation", "step.fuel").said.text).toContain("did not come to an end");
    expect(of("unknown_failure").todo).not.toBeNull();
    for (const cause of [
      "adapter_timeout",
      "adapter_error",
      "waiting_event",
      "completed",
      "unknown",
    ]) {
      expect(of(cause).said.text).toMatch(/\.$/);
    }
  });
});
