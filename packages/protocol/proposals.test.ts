import { expect, test } from "vitest";
import { shadowRequest } from "./proposals.ts";

const table: readonly (readonly [given: object, wrong: RegExp | null])[] = [
  [{ seeds: [{ topic: "a", event: {} }] }, null],
  [{ seeds: [{ machine: "w/a@1", event: {} }] }, null],
  [{ receipts: { "http/get@1": { status: "ok", payload: { status: 200 } } } }, null],
  [{ receipts: { "http/get@1": { status: "skipped" } } }, null],
  [{ seeds: [{ topic: "a", payload: {} }] }, /expected {"topic": …, "event": …} or {"machine"/],
  [{ seeds: [{ topic: "a" }] }, /"event"/],
  [{ seeds: ["a"] }, /expected {"topic"/],
  [{ seeds: { topic: "a", event: {} } }, /expected a list; of each is expected {"topic"/],
  [{ receipts: [] }, /the names of effects; of each is expected {"status"/],
  [{ receipts: { "http/get@1": "ok" } }, /expected {"status": "ok" \| "error"/],
  [{ receipts: { "http/get@1": { status: "ok", result: 1 } } }, /"payload": …}, with nothing else/],
  [{ receipts: { "http/get@1": { status: "done" } } }, /"ok"\|"error"\|"timeout"\|"skipped"/],
];

test.each(table)(
  "what a proposal is tried with is read, or its form is said: %j",
  (given, wrong) => {
    const { error } = shadowRequest.safeParse(given);
    if (wrong === null) expect(error).toBeUndefined();
    else expect(error?.issues[0]?.message).toMatch(wrong);
  },
);
