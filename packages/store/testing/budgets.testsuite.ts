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
    name: "sums up what one run was charged, its reads too [R89]",
    run: async ({ store }) => {
      const [ann, bob] = [await Owner.create(store), await Owner.create(store, "other")];
      const mine = { runId: "r1", recordedAt: 100 };
      await ann.persist(
        charged("a", { ...mine, amount: 5, itemId: "i" }),
        charged("b", { ...mine, amount: 7, itemId: "j", firstSentAt: 400 }),
        charged("failed", { ...mine, amount: 1_000, itemId: "k", state: "failed" }),
        charged("other", { ...mine, amount: 1_000, itemId: "l", budget: "travel" }),
        charged("later", { recordedAt: 200, amount: 1_000, runId: "r2" }),
      );
      const read = { connection: "shop", operation: "list", at: 300, budget: "purchases" };
      const counted = [
        { ...read, readId: "1", runId: "r1", amount: 11 },
        { ...read, readId: "2", runId: "r2", amount: 1_000 },
        { ...read, readId: "3", runId: "r1", amount: 1_000, budget: "travel" },
      ];
      await ann.persistChange({ counted });
      await bob.persist(charged("a", { ...mine, amount: 1_000 }));
      await bob.persistChange({ counted: [{ ...read, readId: "1", runId: "r1", amount: 1_000 }] });
      const run = { workflow: "orders", runId: "r1" };
      const used = { version: 0, count: 3, amount: 23, oldestAt: 100 };
      expect(await store.sumBudget({ ...all, run })).toEqual(used);
      const except = { workflow: "orders", mutationId: "a" };
      const others = { version: 0, count: 2, amount: 18, oldestAt: 300 };
      expect(await store.sumBudget({ ...all, run, except })).toEqual(others);
      const since = await store.sumBudget({ ...all, run, after: 300 });
      expect(since).toEqual({ version: 0, count: 1, amount: 7, oldestAt: 400 });
      const none = { version: 0, count: 0, amount: 0, oldestAt: null };
      expect(await store.sumBudget({ ...all, run: { ...run, runId: "" } })).toEqual(none);
      expect(await store.sumBudget({ ...all, budget: "nobody's", run })).toEqual(none);
      // One that was looked at for a run can be charged.
      const budgets = [{ name: "nobody's", version: 0 }];
      expect(await ann.commit({ facts: [], budgets })).toMatchObject({ kind: "committed" });
      expect(await store.sumBudget({ ...all, budget: "nobody's", run })).toMatchObject({
        version: 1,
      });
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
