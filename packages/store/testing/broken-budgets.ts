import type { Store } from "@holdfast/core";
import { type BrokenStore, broken } from "./broken-store.ts";

const apart = "sums up what all workflows were charged, from when it was sent [R89]";
const again = "counts what was sent again from its last send [R89]";
const ofRun = "sums up what one run was charged, its reads too [R89]";
const moved = "charges only who saw the budget as it is, and moves it on [R89]";
const together =
  "charges one of several that saw the same, in one commit, and fails none else [R89]";

export const brokenBudgets: readonly BrokenStore[] = [
  broken("counts by when a call was recorded", apart, (store) => ({
    sumBudget: async (of) => store.sumBudget({ ...of, after: of.after - 1 }),
  })),
  broken("counts the call that is judged", apart, (store) => ({
    sumBudget: async (of) => store.sumBudget({ ...of, except: null }),
  })),
  broken("counts by when a call was sent first", again, (store) => ({
    sumBudget: async (of) => store.sumBudget({ ...of, after: of.after + 100 }),
  })),
  broken("counts all runs for one", ofRun, (store) => ({
    sumBudget: async ({ run, ...of }) => store.sumBudget(of),
  })),
  broken("counts the call of a run that is judged", ofRun, (store) => ({
    sumBudget: async (of) => store.sumBudget(of.run === undefined ? of : { ...of, except: null }),
  })),
  broken("counts a run of any workflow of that name", ofRun, (store) => ({
    sumBudget: async (of) => {
      const found = await store.sumBudget(of);
      if (of.run === undefined) return found;
      const run = { ...of.run, workflow: "other" };
      const { count } = await store.sumBudget({ ...of, run });
      return { ...found, count: found.count + count };
    },
  })),
  broken("counts no reads of a run", ofRun, (store) => ({
    commit: (changes) => store.commit(changes.map((change) => ({ ...change, counted: [] }))),
  })),
  broken("charges whoever comes", moved, (store) => ({ commit: ignoring(store) })),
  broken("charges whoever comes in one commit", together, (store) => ({
    commit: ignoring(store),
  })),
];

function ignoring(store: Store): Store["commit"] {
  return (changes) => store.commit(changes.map((change) => ({ ...change, budgets: [] })));
}
