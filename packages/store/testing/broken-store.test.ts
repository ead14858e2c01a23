import { describe, expect, test } from "vitest";
import { type ConstraintName, constraintNames } from "../constraint-names.ts";
import { openMemoryStore, openWithConstraints } from "../memory/open.ts";
import { brokenAwaiting } from "./broken-awaiting.ts";
import { brokenBrakes } from "./broken-brakes.ts";
import { brokenBudgets } from "./broken-budgets.ts";
import { brokenCommits } from "./broken-commits.ts";
import { brokenCountedReads } from "./broken-counted-reads.ts";
import { brokenKeptResults } from "./broken-kept-results.ts";
import { brokenNews } from "./broken-news.ts";
import { brokenOwners } from "./broken-owners.ts";
import { brokenParts } from "./broken-parts.ts";
import { brokenReadings } from "./broken-readings.ts";
import type { BrokenStore } from "./broken-store.ts";
import { brokenTraces } from "./broken-traces.ts";
import { brokenUsage } from "./broken-usage.ts";
import { storeCases } from "./store.testsuite.ts";
import { type OpenStore, runCase, type StoreCase } from "./store-case.ts";

/**
 * The negative control of the store suite: for each rule there is a store that breaks it, and the
 * case that promises the rule has to fail on it, as a failed expectation and not by accident.
 */

const allCases = Object.values(storeCases).flat();
const allConstraints = Object.keys(constraintNames) as ConstraintName[];
const sound: OpenStore = async (options) => ({ store: openMemoryStore(options) });

function caseNamed(name: string): StoreCase {
  const found = allCases.find((storeCase) => storeCase.name === name);
  if (found === undefined) throw new Error(`no case is named: ${name}`);
  return found;
}

async function expectRed(open: OpenStore, storeCase: StoreCase): Promise<void> {
  await runCase(sound, storeCase);
  const outcome = await runCase(open, storeCase).then(
    () => ({ name: "the case passed" }),
    (error: unknown) => error,
  );
  expect(outcome).toMatchObject({ name: "AssertionError" });
}

function withoutConstraint(name: ConstraintName): OpenStore {
  const enforced = new Set(allConstraints.filter((constraint) => constraint !== name));
  return async (options) => ({ store: openWithConstraints(options, enforced) });
}

describe("the store suite goes red for a store that", () => {
  const stores: readonly BrokenStore[] = [
    ...brokenCommits,
    ...brokenReadings,
    ...brokenOwners,
    ...brokenNews,
    ...brokenParts,
    ...brokenTraces,
    ...brokenUsage,
    ...brokenBudgets,
    ...brokenAwaiting,
    ...brokenBrakes,
    ...brokenCountedReads,
    ...brokenKeptResults,
  ];
  for (const { name, seenBy, open } of stores) {
    test(name, () => expectRed(open, caseNamed(seenBy)));
  }
});

describe("the store suite goes red for a store without the constraint", () => {
  for (const name of allConstraints) {
    test(name, async () => {
      const guards = allCases.filter((storeCase) => storeCase.guards === name);
      expect(guards).not.toEqual([]);
      for (const guard of guards) await expectRed(withoutConstraint(name), guard);
    });
  }
});

test("no two cases of the store suite have the same name", () => {
  const names = allCases.map((storeCase) => storeCase.name);
  expect(names).toEqual([...new Set(names)]);
});
