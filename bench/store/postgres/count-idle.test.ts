import { expect, test } from "vitest";
import { countIdle, type Watched } from "./count-idle.ts";

const [beat, poll] = ["SELECT holdfast.heartbeat_1($1)", "SELECT * FROM holdfast.census_1($1)"];
const calm: Watched = {
  ms: 6_000,
  leaseMs: 6_000,
  pollMs: 1_000,
  sql: [...Array(3).fill(beat), ...Array(6).fill(poll), ""],
  connectionCount: 0,
};

test("heartbeats, polls and the end of a connection are what an idle host sends", () => {
  expect(countIdle(calm)).toEqual({ seconds: 6, expected: 9, beyond: 0 });
});

test.each([
  ["another statement", { sql: [...calm.sql, "SELECT holdfast.next_due_at_1($1)"] }],
  ["a heartbeat too many", { sql: [...calm.sql, beat, beat] }],
  ["a poll too many", { sql: [...calm.sql, poll, poll] }],
  ["a new connection", { connectionCount: 1 }],
])("%s is beyond that", (_, more) => {
  expect(countIdle({ ...calm, ...more }).beyond).toBe(1);
});

test("a host that is not there is no idle host", () => {
  expect(() => countIdle({ ...calm, sql: [] })).toThrow("alive");
});
