import { HostError } from "@holdfast/core";
import { DatabaseError } from "pg";
import { expect, test } from "vitest";
import { AnswerTimeout, isSurelyNotWritten, storeError } from "./errors.ts";

function said(code: string): DatabaseError {
  const error = new DatabaseError("what the server said", 0, "error");
  error.code = code;
  return error;
}

/** The server is going down, gone or out of its mind: the change may be there. */
const mayBeThere = [
  "08006",
  "08P01",
  "40003",
  "57P01",
  "57P02",
  "57P03",
  "57P05",
  "58030",
  "XX000",
];
const isNotThere = [
  "22001",
  "23505",
  "25006",
  "28P01",
  "3F000",
  "40001",
  "40P01",
  "42501",
  "42883",
];
const alsoNotThere = ["53100", "53300", "54001", "55000", "55P03", "57014", "HF002", "P0001"];

test.each([
  ...mayBeThere.map((state) => ({ state, surely: false })),
  ...[...isNotThere, ...alsoNotThere].map((state) => ({ state, surely: true })),
])("after $state a change is surely not written: $surely", ({ state, surely }) => {
  expect(isSurelyNotWritten(said(state))).toBe(surely);
  const error = storeError(said(state), { place: "here", doing: "commit" });
  expect(error).toMatchObject({ retry: surely ? "safe" : "unknown" });
});

test.each([
  new AnswerTimeout("no answer"),
  new Error("Connection terminated unexpectedly"),
  Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" }),
])("what the network says proves nothing: $message", (error) => {
  expect(isSurelyNotWritten(error)).toBe(false);
  const told = storeError(error, { place: "here", doing: "commit" });
  expect(told).toMatchObject({ code: "STORE_UNREACHABLE", retry: "unknown" });
});

test("what went wrong before anything was sent is surely not written", () => {
  const situation = { place: "here", doing: "commit" };
  const error = storeError(new Error("connect ECONNREFUSED"), situation, { sent: false });
  expect(isSurelyNotWritten(error)).toBe(true);
});

test("a mistake of our own is not dressed up as one of the server", () => {
  const mistake = new TypeError("undefined is not a function");
  expect(storeError(mistake, { place: "here", doing: "commit" })).toBe(mistake);
  expect(mistake).not.toBeInstanceOf(HostError);
});
