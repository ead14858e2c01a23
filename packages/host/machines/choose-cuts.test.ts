import { expect, test } from "vitest";
import { chooseCuts } from "./choose-cuts.ts";

const table: readonly (readonly [string, readonly number[], number, readonly number[]])[] = [
  ["no snapshot: no cut", [], 100, []],
  ["one in the middle", [50], 100, [0]],
  ["the one that is nearest to the middle", [10, 49, 80], 100, [1]],
  ["one that is all there is, wherever it is", [95], 100, [0]],
  ["two with half of it between them", [28, 79], 100, [0, 1]],
  ["not two where one is nearly as good", [6, 51, 96], 100, [1]],
  ["three, so that each lane has one after the other", [24, 63, 87], 100, [0, 1, 2]],
];

test.each(table)("a journal is cut: %s", (_, ends, last, cuts) => {
  expect(chooseCuts(ends, last)).toEqual(cuts);
});

/** Each lane takes the next stretch as soon as it is through with one. */
function timeOf(cuts: readonly number[], last: number): number {
  const lanes = [0, 0];
  let from = 0;
  for (const to of [...cuts, last]) {
    lanes.sort((a, b) => a - b);
    lanes[0] = (lanes[0] ?? 0) + to - from;
    from = to;
  }
  return Math.max(...lanes);
}

test("no other one, two or three snapshots are noticeably better", () => {
  let seed = 7;
  const random = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  for (let round = 0; round < 300; round++) {
    const last = 1_000;
    const some = Array.from({ length: Math.floor(random() * 12) }, () => random() * last);
    const ends = some.map(Math.ceil).sort((left, right) => left - right);
    const all = ends.flatMap((first, at) => [
      timeOf([first], last),
      ...ends
        .slice(at + 1)
        .flatMap((second, next) => [
          timeOf([first, second], last),
          ...ends.slice(at + next + 2).map((third) => timeOf([first, second, third], last)),
        ]),
    ]);
    const chosen = chooseCuts(ends, last).map((at) => ends[at] ?? 0);
    const tolerance = last * 0.03;
    expect(timeOf(chosen, last)).toBeLessThanOrEqual(Math.min(last, ...all) + tolerance);
  }
});

test("of ten thousand snapshots a few are looked at, and the lanes have the same to do", () => {
  const ends = Array.from({ length: 10_000 }, (_, at) => (at + 1) * 7 + (at % 3));
  const last = 80_000;
  const chosen = chooseCuts(ends, last).map((at) => ends[at] ?? 0);
  expect(timeOf(chosen, last)).toBeLessThan(last * 0.52);
});
