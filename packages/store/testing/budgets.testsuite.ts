import { insertRow, type MutationRow } from "@holdfast/core";
import { expect } from "vitest";
import { Owner } from "./change-builder.ts";
import { mutationRow } from "./row-builder.ts";
import type { StoreCase } from "./store-case.ts";

const all = { budget: "purchases", after: 0, except: null };

/** A settled call of a run of its own. */
function charged(mutationId: string, set: Partial<MutationRow>) {
  const own = { runId: `run of ${mutationId}`, state: "applied", budget: "purchases" } as const;
  return insertRow("mutations", mutationRow(mutationId, { ...own, ...set }));
}

async function twoLedgers(ann: Owner, bob: Owner): Promise<void> {
  await ann.persist(
    charged("a", { recordedAt: 100, amount: 5 }),
    charged("sent later", { recordedAt: 100, firstSentAt: 400, amount: 7 }),
    charged("failed", { recordedAt: 250, amount: 1_000, state: "failed" }),
    charged("other", { recordedAt: 250, amount: 1_000, budget: "travel" }),
    charged("none", { recordedAt: 250, amount: 1_000, budget: null }),
  );
  await bob.persist(charged("a", { recordedAt: 300, amount: null, state: "awaiting_approval" }));
}

export const budgetCases: readonly StoreCase[] = [
  {
    name: "sums up what all workflows were charged, from when it was sent [R89]",
    run: async ({ store }) => {
      await twoLedgers(await Owner.create(store), await Owner.create(store, "other"));
      const used = { version: 0, count: 3, amount: 12, oldestAt: 100 };
      expect(await store.sumBudget(all)).toEqual(used);
      expect(await store.sumBudget({ ...all, after: 100 })).toMatchObject({ count: 2, amount: 7 });
      const except = { workflow: "other", mutationId: "a" };
      expect(await store.sumBudget({ ...all, except })).toMatchObject({ count: 2, oldestAt: 100 });
      const unused = { version: 0, count: 0, amount: 0, oldestAt: null };
      expect(await store.sumBudget({ ...all, budget: "nobody's" })).toEqual(unused);
    },
  },
  {
    name: "counts what was sent again from its last send [R89]",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      const again = { recordedAt: 100, firstSentAt: 200, countedAt: 300, amount: 7 };
      await owner.persist(charged("a", again));
      const used = { version: 0, count: 1, amount: 7, oldestAt: 300 };
      expect(await store.sumBudget({ ...all, after: 299 })).toEqual(used);
      expect(await store.sumBudget({ ...all, after: 300 })).toMatchObject({ count: 0 });
    },
  },
  {
    name: "charges only who saw the budget as it is, and moves it on [R89]",
    run: async ({ store }) => {
      const [ann, bob] = [await Owner.create(store), await Owner.create(store, "other")];
      const { version } = await store.sumBudget(all);
      const budgets = [{ name: "purchases", version }];
      const rows = [charged("a", { recordedAt: 100 })];
      const head = ann.head.seq + 1;
      expect(await ann.commit({ rows, budgets })).toEqual({ kind: "committed", head });
      expect(await store.sumBudget(all)).toMatchObject({ version: 1, count: 1 });
      expect(await bob.commit({ rows, budgets })).toEqual({ kind: "budget_moved" });
      expect(await store.sumBudget(all)).toMatchObject({ version: 1, count: 1 });
      expect((await store.load("other", [])).head.seq).toBe(bob.head.seq);
      const again = { rows, budgets: [{ name: "purchases", version: 1 }] };
      expect(await bob.commit(again)).toMatchObject({ kind: "committed" });
      expect(await store.sumBudget(all)).toMatchObject({ version: 2, count: 2 });
    },
  },
  {
    name: "charges one of several that saw the same, in one commit, and fails none else [R89]",
    run: async ({ store }) => {
      const owners: Owner[] = [];
      for (const name of ["w1", "w2", "w3"]) owners.push(await Owner.create(store, name));
      await store.sumBudget(all);
      const budgets = [{ name: "purchases", version: 0 }];
      const rows = [charged("a", { recordedAt: 100 })];
      const [first, second, third] = owners.map((owner, index) => {
        return owner.change({ rows, budgets: index === 2 ? [] : budgets });
      });
      if (!first || !second || !third) throw new Error("three changes");
      const answers = await store.commit([first, second, third]);
      expect(answers.map(({ kind }) => kind)).toEqual(["committed", "budget_moved", "committed"]);
      expect(await store.sumBudget(all)).toMatchObject({ version: 1, count: 2 });
    },
  },
];
