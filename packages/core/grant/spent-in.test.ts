import { expect, test } from "vitest";
import { type CanonicalValue, encodeCanonical } from "../canonical/index.ts";
import * as c from "../transitions/command-builder.ts";
import type { Scenario } from "../transitions/scenario.ts";
import { prepared } from "../transitions/state-builder.ts";
import type { Verdict } from "./grant.ts";

const verdict: Verdict = { envelope: 0, grant: 0, says: "allow", spent: "/usage/tokens" };
const reserved = 10_000 * 800;

/** Sent, with 800 reserved for it. */
function sent(): Scenario {
  const s = prepared();
  s.run(c.recordMutation(s, { verdict, amount: reserved }));
  return s.run({ ...c.send(s), verdict } as ReturnType<typeof c.send>);
}

function settledWith(result: CanonicalValue): number | null {
  const s = sent();
  s.run(c.settle(s, { says: "applied", result: encodeCanonical(result) }));
  return s.mutationRow().amount;
}

test("[R89] what was reserved is settled with what the result says was spent", () => {
  expect(settledWith({ usage: { tokens: 312 } })).toBe(10_000 * 312);
  expect(settledWith({ usage: { tokens: 0 } })).toBe(0);
  // More than was reserved counts as well: it is gone.
  expect(settledWith({ usage: { tokens: 900 } })).toBe(10_000 * 900);
});

test.each<[CanonicalValue]>([[{}], [{ usage: { tokens: "312" } }], [{ usage: { tokens: -1 } }]])(
  "[R89] a result that says nothing countable leaves what was reserved: %j",
  (result) => {
    expect(settledWith(result)).toBe(reserved);
  },
);

test("[R89] bytes that are no value leave what was reserved", () => {
  const s = sent();
  s.run(c.settle(s, { says: "applied", result: c.textBytes("not a value") }));
  expect(s.mutationRow().amount).toBe(reserved);
});

test("[R89] a person who says what it answered settles it, too", () => {
  const s = sent();
  s.run(c.settleUnknown(s));
  while (s.mutationRow().state === "needs_reconcile") s.run(c.askedInVain(s));
  const result = encodeCanonical({ usage: { tokens: 5 } });
  s.run(c.resolve(s, { says: "happened", result }));
  expect(s.mutationRow()).toMatchObject({ state: "applied", amount: 50_000 });
});
