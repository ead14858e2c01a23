import { insertRow, type MutationRow, type UsageOf, updateRow } from "@holdfast/core";
import { expect } from "vitest";
import { Owner } from "./change-builder.ts";
import { mutationRow, runRow } from "./row-builder.ts";
import type { StoreCase } from "./store-case.ts";

const of: UsageOf = { connection: "shop", operation: "book", after: 0, except: null };

/** A settled call of a run of its own. */
function recorded(mutationId: string, set: Partial<MutationRow>) {
  const own = { runId: `run of ${mutationId}`, connection: "shop", operation: "book" };
  return insertRow("mutations", mutationRow(mutationId, { ...own, state: "applied", ...set }));
}

/** A run that ended then, after it was active for so long. */
function ended(runId: string, endedAt: number | null, activeMs: number) {
  const over = { status: "committed", phase: "committed", open: false } as const;
  return insertRow("runs", runRow(runId, { ...(endedAt === null ? {} : over), endedAt, activeMs }));
}

async function ledger(owner: Owner): Promise<void> {
  await owner.persist(
    recorded("a", { recordedAt: 100, amount: 5 }),
    recorded("b", { recordedAt: 200, amount: 7, state: "awaiting_approval" }),
    recorded("c", { recordedAt: 300, amount: null, state: "indeterminate" }),
    recorded("failed", { recordedAt: 250, amount: 1_000, state: "failed" }),
    recorded("other operation", { recordedAt: 250, amount: 1_000, operation: "cancel" }),
    recorded("other connection", { recordedAt: 250, amount: 1_000, connection: "bank" }),
  );
}

export const usageCases: readonly StoreCase[] = [
  {
    name: "sums up what an operation has used, but for what failed [R89]",
    run: async ({ store }) => {
      await ledger(await Owner.create(store));
      expect(await store.sumUsage("orders", of)).toEqual({ count: 3, amount: 12, oldestAt: 100 });
    },
  },
  {
    name: "counts what was recorded after a time, not at it [R89]",
    run: async ({ store }) => {
      await ledger(await Owner.create(store));
      const used = (after: number) => store.sumUsage("orders", { ...of, after });
      expect(await used(99)).toEqual({ count: 3, amount: 12, oldestAt: 100 });
      expect(await used(100)).toEqual({ count: 2, amount: 7, oldestAt: 200 });
      expect(await used(300)).toEqual({ count: 0, amount: 0, oldestAt: null });
    },
  },
  {
    name: "counts what was sent from its last send, and of an older call its first [R89]",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      await owner.persist(
        recorded("unsent", { recordedAt: 100, amount: 1, state: "ready" }),
        recorded("older", { recordedAt: 100, firstSentAt: 200, amount: 2 }),
        recorded("again", { recordedAt: 100, firstSentAt: 200, countedAt: 300, amount: 4 }),
        recorded("failed", { recordedAt: 100, firstSentAt: 200, countedAt: 300, state: "failed" }),
      );
      const used = (after: number) => store.sumUsage("orders", { ...of, after });
      expect(await used(0)).toEqual({ count: 3, amount: 7, oldestAt: 100 });
      expect(await used(100)).toEqual({ count: 2, amount: 6, oldestAt: 200 });
      expect(await used(200)).toEqual({ count: 1, amount: 4, oldestAt: 300 });
      expect(await used(300)).toEqual({ count: 0, amount: 0, oldestAt: null });
      await owner.persist(updateRow("mutations", ["unsent"], { countedAt: 400 }));
      expect(await used(300)).toEqual({ count: 1, amount: 1, oldestAt: 400 });
    },
  },
  {
    name: "leaves out the call that is judged [R89]",
    run: async ({ store }) => {
      await ledger(await Owner.create(store));
      const used = await store.sumUsage("orders", { ...of, except: "a" });
      expect(used).toEqual({ count: 2, amount: 7, oldestAt: 200 });
    },
  },
  {
    name: "sums up large amounts exactly [R89]",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      const half = 2 ** 52 - 1;
      await owner.persist(
        recorded("a", { recordedAt: 1, amount: half }),
        recorded("b", { recordedAt: 1, amount: half }),
      );
      expect(await store.sumUsage("orders", of)).toMatchObject({ amount: 2 ** 53 - 2 });
    },
  },
  {
    name: "sums up what is beyond every limit without failing [R89]",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      const names = Array.from({ length: 1_100 }, (_, index) => `m-${index}`);
      const amount = Number.MAX_SAFE_INTEGER;
      await owner.persist(...names.map((name) => recorded(name, { recordedAt: 1, amount })));
      expect(await store.sumUsage("orders", of)).toMatchObject({ count: 1_100, amount });
    },
  },
  {
    name: "lets nothing that failed hide what was used, however large it was [R89]",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      const names = Array.from({ length: 300 }, (_, index) => `m-${index}`);
      const failed = { recordedAt: 1, amount: Number.MAX_SAFE_INTEGER, state: "failed" } as const;
      await owner.persist(
        recorded("small", { recordedAt: 1, amount: 5 }),
        ...names.map((name) => recorded(name, failed)),
      );
      expect(await store.sumUsage("orders", of)).toMatchObject({ count: 1, amount: 5 });
    },
  },
  {
    name: "counts nothing of another workflow, and knows none that nobody created [R89]",
    run: async ({ store }) => {
      await ledger(await Owner.create(store));
      await Owner.create(store, "other");
      const nothing = { count: 0, amount: 0, oldestAt: null };
      expect(await store.sumUsage("other", of)).toEqual(nothing);
      await expect(store.sumUsage("nobody", of)).rejects.toMatchObject({
        code: "WORKFLOW_UNKNOWN",
      });
    },
  },
  {
    name: "sums up how long runs were active that ended after a time, not at it [R89]",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      await owner.persist(
        ended("r-1", 100, 5),
        ended("r-2", 200, 0),
        ended("r-3", 300, 7),
        ended("open", null, 1_000),
      );
      const ran = (after: number) => store.sumActive("orders", after);
      expect(await ran(0)).toEqual({ activeMs: 12, oldestAt: 100 });
      expect(await ran(100)).toEqual({ activeMs: 7, oldestAt: 300 });
      expect(await ran(300)).toEqual({ activeMs: 0, oldestAt: null });
      await owner.persist(
        updateRow("runs", ["open"], { open: false, status: "aborted", endedAt: 400, activeMs: 3 }),
      );
      expect(await ran(100)).toEqual({ activeMs: 10, oldestAt: 300 });
    },
  },
  {
    name: "sums up time beyond every limit, and none of another workflow [R89]",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      const activeMs = Number.MAX_SAFE_INTEGER;
      await owner.persist(ended("r-1", 1, activeMs), ended("r-2", 1, activeMs));
      expect(await store.sumActive("orders", 0)).toEqual({ activeMs, oldestAt: 1 });
      await Owner.create(store, "other");
      expect(await store.sumActive("other", 0)).toEqual({ activeMs: 0, oldestAt: null });
      await expect(store.sumActive("nobody", 0)).rejects.toMatchObject({
        code: "WORKFLOW_UNKNOWN",
      });
    },
  },
];
