import { expect, test } from "vitest";
import { type Contender, type Lap, runRounds } from "./rounds.ts";

const plan = { warmUpCount: 1, roundCount: 3, turnCount: 2 };

/** Takes as long as it is told, without any clock. */
function contender(metric: string, laps: readonly Lap[]): Contender & { calls: number } {
  const made = {
    metric,
    unit: "things/s",
    figure: "per second" as const,
    calls: 0,
    measure: (): Lap => laps[made.calls++] ?? { count: 0, ms: 0 },
  };
  return made;
}

const slow = { count: 1, ms: 1_000 };
const fast = { count: 10, ms: 1_000 };

test("adds up the turns of a round and throws the warm-up away", async () => {
  const one = contender("one", [slow, slow, fast, slow, fast, fast, slow, slow]);
  const rounds = await runRounds([one], plan);
  expect(one.calls).toBe(8);
  // Rounds: 11 in 2 s, 20 in 2 s, 2 in 2 s.
  expect(rounds.result("one")).toEqual({
    metric: "one",
    value: 5.5,
    unit: "things/s",
    spread: [1, 10],
  });
});

test("holds contenders against each other round by round", async () => {
  const laps = (...ms: number[]) => ms.map((each) => ({ count: 1, ms: each }));
  // The machine is ten times slower in the middle round, for both.
  const reference = contender("reference", laps(1, 1, 10, 10, 100, 100, 10, 10));
  const subject = contender("subject", laps(1, 1, 20, 20, 200, 200, 20, 20));
  const rounds = await runRounds([reference, subject], plan);
  expect(rounds.resultAgainst("subject", "reference", { atLeast: 0.4 })).toEqual({
    metric: "subject",
    value: 50,
    unit: "things/s",
    spread: [5, 50],
    reference: 100,
    ratio: 0.5,
    against: "reference",
    must: { atLeast: 0.4 },
  });
});

test("costs are time by count", async () => {
  const made = contender("cost", Array(8).fill({ count: 4, ms: 2 }));
  const rounds = await runRounds([{ ...made, unit: "µs", figure: "µs each" }], plan);
  expect(rounds.result("cost")).toMatchObject({ value: 500, unit: "µs" });
});

test("prepares before every turn, and does not time it", async () => {
  const order: string[] = [];
  const prepare = async () => {
    order.push("prepare");
  };
  const measure = () => {
    order.push("measure");
    return fast;
  };
  const figure = "per second" as const;
  await runRounds([{ metric: "one", unit: "", figure, prepare, measure }], {
    warmUpCount: 0,
    roundCount: 1,
    turnCount: 2,
  });
  expect(order).toEqual(["prepare", "measure", "prepare", "measure"]);
});

test("says so when a figure is asked for that nobody measured", async () => {
  const rounds = await runRounds([contender("one", [])], plan);
  expect(() => rounds.result("two")).toThrow(/"two"/);
});

test("holds processor times against each other, and leaves out what nobody tells", async () => {
  const laps = (...cpuMs: number[]) => cpuMs.map((each) => ({ count: 2, ms: 1_000, cpuMs: each }));
  // What others did on the machine is in `ms` alone.
  const reference = contender("reference", laps(9, 9, 1, 1, 2, 2, 3, 3));
  const subject = contender("subject", laps(9, 9, 2, 2, 4, 4, 6, 6));
  const silent = contender("silent", [slow, slow, slow, slow, slow, slow, slow, slow]);
  const rounds = await runRounds([reference, subject, silent], plan);
  expect(rounds.cpuAgainst("subject", "reference", { atMost: 2 })).toMatchObject([
    { metric: "reference: processor time", value: 1_000, unit: "µs each" },
    { metric: "subject: processor time", value: 2_000, reference: 1_000, ratio: 2 },
  ]);
  expect(rounds.cpuAgainst("subject", "silent", { atMost: 2 })).toEqual([]);
});
