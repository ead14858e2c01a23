import { expect, test } from "vitest";
import { compareCalls, shapeOf } from "./shape-of-call.ts";

const call = { path: "/orders", body: { id: "a", sum: 7 } };

test.each([
  ["other values", { path: "/o", body: { id: "b", sum: 8 } }, true],
  ["names in another order", { body: { sum: 1, id: "c" }, path: "/orders" }, true],
  ["one name more", { ...call, secretHeaders: {} }, false],
  ["one name less", { path: "/orders", body: { id: "a" } }, false],
  ["another kind of value", { path: "/orders", body: { id: "a", sum: "7" } }, false],
  ["nothing where there was a value", { path: "/orders", body: { id: null, sum: 7 } }, false],
  ["a list in place of a record", { path: "/orders", body: ["a", 7] }, false],
])("[R93] a call with %s is of the same shape, or is not", (_, other, isSame) => {
  expect(shapeOf(other) === shapeOf(call)).toBe(isSame);
});

test("[R93] lists are of one shape if their entries are, however many", () => {
  expect(shapeOf({ to: ["a", "b"] })).toBe(shapeOf({ to: ["c"] }));
  expect(shapeOf({ to: ["a", 1] })).not.toBe(shapeOf({ to: ["c"] }));
});

test("[R93] what calls have in common is told by its place, and where they differ", () => {
  expect(compareCalls([call, { path: "/orders", body: { id: "b", sum: 7 } }])).toEqual({
    same: { "/path": "/orders", "/body/sum": 7 },
    different: ["/body/id"],
  });
  expect(compareCalls([call]).different).toEqual([]);
  expect(compareCalls([{ "a/b": 1 }, { "a/b": 2 }]).different).toEqual(["/a~1b"]);
});
