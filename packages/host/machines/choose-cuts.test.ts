import { expect, test } from "vitest";
import { chooseCuts } from "./choose-cuts.ts";

const table: readonly (readonly [string, readonly number[], number, readonly number[]])[] = [
  ["no snapshot: no cut", [], 100, []],
  ["one in the middle", [50], 100, [0]],
  ["the one that is nearest to the middle", [10, 20, 45, 70, 90], 100, [2]],
  ["one that is all there is, wherever it is", [95], 100, [0]],
  ["two with half of it between them", [4, 8, 14, 28, 79], 100, [3, 4]],
  ["not two where one is nearly as good", [6, 42, 96], 100, [1]],
  ["two that are next to each other", [20, 71], 100, [0, 1]],
];

test.each(table)("a journal is cut: %s", (_, ends, last, cuts) => {
  expect(chooseCuts(ends, last)).toEqual(cuts);
});

test("no other one or two snapshots make the longer share a tenth shorter", () => {
  let seed = 7;
  const random = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  for (let round = 0; round < 300; round++) {
    const last = 1_000;
    const some = Array.from({ length: Math.floor(random() * 12) }, () => random() * last);
    const ends = some.map(Math.ceil).sort((left, right) => left - right);
    const share = ([first, second]: readonly number[]) => {
      const [from = last, to = last] = [ends[first ?? -1], ends[second ?? -1]];
      return Math.max(to - from, last - (to - from));
    };
    const all = ends.flatMap((_, first) => [
      share([first]),
      ...ends.map((_, second) => (second > first ? share([first, second]) : last)),
    ]);
    expect(share(chooseCuts(ends, last))).toBeLessThanOrEqual(Math.min(last, ...all) + last / 10);
  }
});
