import { type CountedRead, countedForMs } from "@holdfast/core";
import { expect } from "vitest";
import { Owner } from "./change-builder.ts";
import type { StoreCase } from "./store-case.ts";

const of = { connection: "shop", operation: "list", after: 0, runId: null };
const nothing = { count: 0, amount: 0, oldestAt: null };

function read(readId: string, at: number, set: Partial<CountedRead> = {}): CountedRead {
  const own = { connection: "shop", operation: "list", amount: null, budget: null };
  return { readId, runId: "r1", at, ...own, ...set };
}

export const countedReadCases: readonly StoreCase[] = [
  {
    name: "counts reads of an operation in a window, of one run or of all [R89]",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      await Owner.create(store, "other");
      const counted = [
        read("1", 100, { amount: 5 }),
        read("2", 200, { runId: "r2", amount: 7 }),
        read("3", 200, { operation: "get", amount: 1_000 }),
      ];
      await owner.persistChange({ counted });
      const used = (set: object) => store.sumReads("orders", { ...of, ...set });
      expect(await used({})).toEqual({ count: 2, amount: 12, oldestAt: 100 });
      expect(await used({ after: 100 })).toEqual({ count: 1, amount: 7, oldestAt: 200 });
      expect(await used({ runId: "r1" })).toEqual({ count: 1, amount: 5, oldestAt: 100 });
      expect(await store.sumReads("other", of)).toEqual(nothing);
      await expect(store.sumReads("nobody", of)).rejects.toMatchObject({
        code: "WORKFLOW_UNKNOWN",
      });
      expect(await store.sumUsage("orders", { ...of, except: null })).toEqual(nothing);
    },
  },
  {
    name: "counts a read for its owner alone, and once under its name [R89, R158]",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      const { seq } = owner.head;
      const stale = { facts: [], counted: [read("1", 100)], epoch: 9 };
      expect(await owner.commit(stale)).toEqual({ kind: "lease_lost" });
      expect(await store.sumReads("orders", of)).toEqual(nothing);
      const first = { facts: [], counted: [read("1", 100, { amount: 9 })] };
      expect(await owner.commit(first)).toEqual({ kind: "committed", head: seq });
      const settled = { facts: [], counted: [read("1", 100, { amount: 2 })] };
      expect(await owner.commit(settled)).toEqual({ kind: "committed", head: seq });
      expect(await store.sumReads("orders", of)).toEqual({ count: 1, amount: 2, oldestAt: 100 });
      const bad = { facts: [], counted: [read("2", Number.NaN)] };
      expect(await owner.commit(bad)).toMatchObject({ kind: "refused" });
    },
  },
  {
    name: "charges reads to a budget together with calls, and moves it on [R89]",
    run: async ({ store }) => {
      const [ann, bob] = [await Owner.create(store), await Owner.create(store, "other")];
      const all = { budget: "tokens", after: 0, except: null };
      const { version } = await store.sumBudget(all);
      const budgets = [{ name: "tokens", version }];
      const counted = [read("1", 300, { amount: 5, budget: "tokens" })];
      expect(await ann.commit({ facts: [], counted, budgets })).toMatchObject({
        kind: "committed",
      });
      const used = { version: version + 1, count: 1, amount: 5, oldestAt: 300 };
      expect(await store.sumBudget(all)).toEqual(used);
      expect(await store.sumBudget({ ...all, after: 300 })).toMatchObject({ count: 0, amount: 0 });
      expect(await bob.commit({ facts: [], counted, budgets })).toEqual({ kind: "budget_moved" });
      expect(await store.sumReads("other", of)).toEqual(nothing);
    },
  },
  {
    name: "forgets reads that no window reaches back to, and no others [R89]",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      const old = [read("1", 100), read("2", 101), read("3", 100, { operation: "get" })];
      await owner.persistChange({ counted: old });
      await owner.persistChange({ counted: [read("4", 101 + countedForMs)] });
      expect(await store.sumReads("orders", of)).toMatchObject({ count: 2, oldestAt: 101 });
      expect(await store.sumReads("orders", { ...of, operation: "get" })).toMatchObject({
        count: 1,
      });
    },
  },
];
