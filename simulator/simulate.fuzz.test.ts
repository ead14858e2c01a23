import { afterEach, describe, expect, test, vi } from "vitest";
import type { Worker } from "./activation.ts";
import { planted, plantedInApprovals, plantedInItems, plantedInMachines } from "./planted-bugs.ts";
import type { SimHostParts } from "./sim-host.ts";
import { simulate } from "./simulate.ts";

const seedsPerTest = Math.ceil(30 * Number(process.env["HOLDFAST_FUZZ_SCALE"] ?? 1));
const firstSeed = Number(process.env["HOLDFAST_FUZZ_SEED"] ?? 1);

describe("in worlds where hosts die, clocks jump, the shop lies and the store fails", () => {
  const met = { unknowns: 0, found: 0, repeated: 0, agreed: 0, edited: 0, skipped: 0, looks: 0 };

  test.each(Array.from({ length: 10 }, (_, index) => firstSeed + index * seedsPerTest))(
    "[R134, R157, R90] every order is booked once, as agreed, and none is lost (from seed %i)",
    async (first) => {
      for (let seed = first; seed < first + seedsPerTest; seed++) {
        const { problems, ...came } = await simulate(seed);
        expect(problems, `seed ${seed}`).toEqual([]);
        for (const each of Object.keys(met) as (keyof typeof met)[]) met[each] += came[each];
      }
    },
  );

  test("every way to deal with a lost answer was needed in these worlds", () => {
    for (const [way, count] of Object.entries(met)) expect(count, way).toBeGreaterThan(0);
  });

  test("[R78, L7] every call of an item is made once, whatever happens to its hosts", async () => {
    const met = { bookings: 0, unknowns: 0, found: 0, repeated: 0 };
    for (let seed = firstSeed; seed < firstSeed + seedsPerTest / 3; seed++) {
      const { problems, ...came } = await simulate(seed, undefined, "job");
      expect(problems, `seed ${seed}`).toEqual([]);
      for (const each of Object.keys(met) as (keyof typeof met)[]) met[each] += came[each];
    }
    for (const count of Object.values(met)) expect(count).toBeGreaterThan(0);
  });

  test("[M.P-1, M.R-8, M.K7.7-4] every intent of a machine is settled once", async () => {
    const met = { bookings: 0, unknowns: 0, found: 0, repeated: 0 };
    for (let seed = firstSeed; seed < firstSeed + seedsPerTest / 3; seed++) {
      const { problems, ...came } = await simulate(seed, undefined, "machine");
      expect(problems, `seed ${seed}`).toEqual([]);
      for (const each of Object.keys(met) as (keyof typeof met)[]) met[each] += came[each];
    }
    for (const count of Object.values(met)) expect(count).toBeGreaterThan(0);
  });

  test("the same seed is the same world", async () => {
    expect(await simulate(firstSeed)).toEqual(await simulate(firstSeed));
  });
});

afterEach(() => vi.restoreAllMocks());

/** What few worlds bring to light is looked for from the first one on that did. */
const noticedIn: Readonly<Record<string, number>> = {
  "the last check before sending is left out": 9,
  "an owner that was replaced goes on committing": 55,
};

/** Any other problem, and an exception, is a mistake of the simulator and not a find. */
async function expectFinding(
  finding: RegExp,
  spoil: SimHostParts["spoil"],
  { first = firstSeed, worker = "consumer" }: { first?: number; worker?: Worker } = {},
): Promise<void> {
  for (let seed = first; seed < first + 200; seed++) {
    const { problems } = await simulate(seed, spoil, worker);
    if (problems.some((each) => finding.test(each))) return;
  }
  expect.unreachable("two hundred worlds in which nothing was noticed");
}

describe("the simulator finds it when", () => {
  test.each(planted)("%s", async (name, finding, spoil) => {
    await expectFinding(finding, spoil, { first: firstSeed - 1 + (noticedIn[name] ?? 1) });
  });
});

describe("the simulator says that it was booked as nobody agreed to when", () => {
  test.each(plantedInApprovals)("[R90, R91] %s", async (_, spoil) => {
    await expectFinding(/nobody had agreed|other words/, spoil);
  });
});

describe("with items, the simulator finds it when", () => {
  test.each(plantedInItems)("%s", async (_, finding, spoil) => {
    await expectFinding(finding, spoil, { worker: "job" });
  });
});

describe("with machines, the simulator finds it when", () => {
  test.each(plantedInMachines)("%s", async (_, finding, spoil) => {
    await expectFinding(finding, spoil, { worker: "machine" });
  });
});
