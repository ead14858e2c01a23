import fc from "fast-check";
import { expect, test } from "vitest";
import { compareText } from "../text-order.ts";
import { type EventPlace, PositionIndex } from "./position-index.ts";

const place: fc.Arbitrary<EventPlace> = fc.record({
  position: fc.nat(40),
  messageId: fc.constantFrom("a", "b", "\uFF5E", "\u{1F600}"),
});

function inOrder(left: EventPlace, right: EventPlace): number {
  return left.position - right.position || compareText(left.messageId, right.messageId);
}

test("keeps places in order, whatever comes and goes", () => {
  const step = fc.record({ place, goes: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const index = new PositionIndex();
      let expected: EventPlace[] = [];
      for (const { place: at, goes } of steps) {
        const others = expected.filter((other) => inOrder(other, at) !== 0);
        if (goes) index.remove(at);
        else if (others.length === expected.length) index.add(at);
        expected = goes ? others : [...others, at];
      }
      expect([...index.places()]).toEqual(expected.toSorted(inOrder));
      expect(index.first()).toEqual(expected.toSorted(inOrder)[0] ?? null);
    }),
  );
});

test("keeps thousands of places in order over many chunks", () => {
  const index = new PositionIndex();
  const count = 5000;
  // 1,009 shares no factor with 5,000, so this walks through every position once.
  const shuffled = Array.from({ length: count }, (_, step) => (step * 1009) % count);
  for (const position of shuffled) index.add({ position, messageId: "m" });
  for (const position of shuffled) {
    if (position % 3 !== 0) index.remove({ position, messageId: "m" });
  }
  const left = [...index.places()].map(({ position }) => position);
  expect(left).toEqual(Array.from({ length: Math.ceil(count / 3) }, (_, third) => third * 3));
});
