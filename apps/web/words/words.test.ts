import { describe, expect, test } from "vitest";
import { mergeRows } from "../ask/merged-rows.ts";
import { textsOf } from "../pages/address.ts";
import { batchesOf } from "../pages/needs-you/batches-of.ts";
import { layOut } from "../pages/workflow-wiring/lay-out.ts";
import { commandText } from "./command-text.ts";
import { sayFact } from "./facts.ts";
import { type Choice, choicesOf, type Question } from "./questions.ts";
import { relativeTime } from "./times.ts";
import { differencesOf, fieldsOf } from "./values.ts";

describe("words of the page", () => {
  test("times are told from where the reader is", () => {
    const now = 1_000_000_000;
    const table = [
      [0, "now"],
      [-1_999, "now"],
      [-2_000, "2 s ago"],
      [-119_000, "1 min ago"],
      [40_000, "in 40 s"],
      [-3_600_000, "1 h ago"],
      [3 * 86_400_000, "in 3 days"],
    ] as const;
    for (const [away, says] of table) expect(relativeTime(now + away, now)).toBe(says);
  });

  test("a copied command means the same in a shell, whatever the id is", () => {
    expect(commandText("why", "orders", "a/b-1")).toBe("npx holdfast why orders a/b-1");
    expect(commandText("why", "o", "it's $(rm)")).toBe(`npx holdfast why o 'it'\\''s $(rm)'`);
  });

  test("only answers that are allowed become buttons, and what may repeat asks twice", () => {
    const of = (kind: string, ...answers: string[]) =>
      choicesOf({ kind, answers }).map(({ answer, isRisky }: Choice) => [answer, isRisky]);
    expect(of("outcome_unknown", "skip", "did_not_happen", "happened")).toEqual([
      ["happened", false],
      ["did_not_happen", true],
      ["skip", false],
    ]);
    expect(of("may_have_happened", "send")).toEqual([["send", true]]);
    expect(of("of_a_later_host", "answer_it")).toEqual([["answer_it", false]]);
  });

  test("what differs between two calls is told by field", () => {
    const before = { path: "/pay", body: { cents: 100, to: "a" } };
    const after = { path: "/pay", body: { cents: 900, note: "x" } };
    expect(differencesOf(before, after)).toEqual([
      { name: "body.cents", from: "100", to: "900" },
      { name: "body.to", from: "a", to: "–" },
      { name: "body.note", from: "–", to: "x" },
    ]);
    expect(fieldsOf([])).toEqual([{ name: "", value: [] }]);
  });

  test("filters in an address are known names and text, or nothing", () => {
    const read = textsOf("status", "find");
    expect(read({ status: "done", find: 4711, other: "x" })).toEqual({
      status: "done",
      find: "4711",
    });
    expect(read({ status: { a: 1 }, find: "" })).toEqual({});
  });
});

describe("what moves", () => {
  test("rows that are known change in their place, and new ones wait", () => {
    const idOf = ({ id }: { id: number }) => `${id}`;
    const known = [
      { id: 2, is: "old" },
      { id: 1, is: "old" },
    ];
    const told = [
      { id: 3, is: "new" },
      { id: 2, is: "new" },
    ];
    expect(mergeRows(known, told, idOf)).toEqual({
      shown: [
        { id: 2, is: "new" },
        { id: 1, is: "old" },
      ],
      fresh: [{ id: 3, is: "new" }],
    });
  });

  test("only approvals of one operation, place and form are put together", () => {
    const of = (attentionId: string, params: object | null, kind = "approval") => {
      const paramsCut = params === null ? 99_999 : null;
      const call = { operation: "shop.post", target: "shop", params, paramsCut };
      return { kind, attentionId, call } as unknown as Question;
    };
    const [batch, ...others] = batchesOf([
      of("a1", { path: "/a", cents: 1 }),
      of("a2", { path: "/a", cents: 2 }),
      of("a3", { path: "/a", cents: "2" }),
      of("a4", { path: "/a", cents: 4 }, "outcome_unknown"),
      of("a5", null),
      of("a6", null),
    ]);
    expect(others).toEqual([]);
    expect(batch?.questions.map(({ attentionId }) => attentionId)).toEqual(["a1", "a2"]);
    expect(batch?.different).toEqual(["cents"]);
  });

  test("a graph stands from left to right, and one that goes in a circle ends", () => {
    const handler = (name: string, subscribe: string[], publishes: string[]) =>
      ({ handler: name, kind: "consumer", subscribe, publishes }) as never;
    const topic = (name: string) =>
      ({ topic: name, pending: { count: 0, isMore: false }, observed: false }) as never;
    const { nodes, columns } = layOut({
      handlers: [handler("a", [], ["x"]), handler("b", ["x"], ["y"]), handler("c", ["y"], ["x"])],
      topics: [topic("x"), topic("y")],
    });
    const columnOf = Object.fromEntries(nodes.map(({ name, column }) => [name, column]));
    expect(columnOf).toEqual({ a: 0, x: 1, b: 2, y: 3, c: 4 });
    expect(columns).toBe(5);
  });
});

test("[R95] a count that was broken off is told as that", () => {
  const said = (firingCount: number) => sayFact("firing_skipped", { handler: "poll", firingCount });
  expect(said(999).text).toBe("poll let 999 of its times pass");
  expect(said(1_000).text).toBe("poll let 1000 or more of its times pass");
});
