import type { Store } from "@holdfast/core";
import { openMemoryStore } from "@holdfast/store/memory";
import fc from "fast-check";
import { expect, test } from "vitest";
import { GrantedPlay } from "../testing/granted-play.ts";
import { grantedSteps, takeAll } from "../testing/granted-steps.ts";
import { plantedStores } from "../testing/planted-stores.ts";
import { fuzzScale } from "../testing/random-history.ts";
import { SendReference } from "../testing/send-reference.ts";

type Plant = (store: Store) => Store;

function propertyOf(plant: Plant, onEnd: (reference: SendReference) => void) {
  return fc.asyncProperty(grantedSteps, async (steps) => {
    const open = (clock: () => number) =>
      plant(openMemoryStore({ clock, newIncarnation: () => "s" }));
    const play = await GrantedPlay.open(open);
    const reference = new SendReference(play);
    await takeAll(play, steps);
    onEnd(reference);
    expect(reference.faults).toEqual([]);
  });
}

test("[R84, R90, R91] nothing is ever sent that no grant or live approval covers", async () => {
  const tried = { sends: 0, budgets: 0, fourEyes: 0 };
  const property = propertyOf(
    (store) => store,
    (reference) => {
      tried.sends += reference.sends;
      tried.budgets += reference.tried.budgets;
      tried.fourEyes += reference.tried.fourEyes;
    },
  );
  await fc.assert(property, { numRuns: 300 * fuzzScale });
  // A play in which nothing is ever sent, or nothing by these, would show nothing.
  expect(tried.sends).toBeGreaterThan(300);
  expect(tried.budgets).toBeGreaterThan(80);
  expect(tried.fourEyes).toBeGreaterThan(30);
}, 120_000);

test.each(Object.entries(plantedStores))(
  "[R84, R90] control: a host whose store %s is found out",
  async (_, { plant, finding }) => {
    const found = new Set<string>();
    const property = propertyOf(plant, ({ faults }) => {
      for (const fault of faults) found.add(fault.replace(/^\{.*\} /, ""));
    });
    const { failed } = await fc.check(property, { numRuns: 500, seed: 1, endOnFailure: true });
    expect([failed, [...found]]).toEqual([true, [finding]]);
  },
  120_000,
);
