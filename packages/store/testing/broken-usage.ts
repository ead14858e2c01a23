import type { Store, UsageOf } from "@holdfast/core";
import { type BrokenStore, broken } from "./broken-store.ts";
import { rowsOf } from "./table-reader.ts";

/** Sums up with another window, or leaving out another call. */
const asking = (change: (of: UsageOf) => UsageOf) => (store: Store) => ({
  sumUsage: (workflow: string, of: UsageOf) => store.sumUsage(workflow, change(of)),
});

export const brokenUsage: readonly BrokenStore[] = [
  broken(
    "counts failed calls",
    "sums up what an operation has used, but for what failed [R89]",
    (store) => ({
      sumUsage: async (workflow, { connection, operation }) => {
        const all = await rowsOf(store, workflow, "mutations");
        const mine = all.filter((row) => {
          return row.connection === connection && row.operation === operation;
        });
        const amount = mine.reduce((sum, row) => sum + (row.amount ?? 0), 0);
        return { count: mine.length, amount, oldestAt: mine[0]?.recordedAt ?? null };
      },
    }),
  ),
  broken(
    "counts what was recorded at the time itself",
    "counts what was recorded after a time, not at it [R89]",
    asking((of) => ({ ...of, after: of.after - 1 })),
  ),
  broken(
    "counts what was sent from its record",
    "counts what was sent from its last send, and of an older call its first [R89]",
    (store) => ({
      sumUsage: async (workflow, of) => {
        const all = await rowsOf(store, workflow, "mutations");
        const late = all.filter(({ recordedAt }) => recordedAt <= of.after).length;
        const spent = await store.sumUsage(workflow, of);
        return { ...spent, count: Math.max(spent.count - late, 0) };
      },
    }),
  ),
  broken(
    "counts the call that is judged",
    "leaves out the call that is judged [R89]",
    asking((of) => ({ ...of, except: null })),
  ),
  broken(
    "sums up amounts as if they were small",
    "sums up large amounts exactly [R89]",
    (store) => ({
      sumUsage: async (workflow, of) => {
        const spent = await store.sumUsage(workflow, of);
        return { ...spent, amount: Math.fround(spent.amount) };
      },
    }),
  ),
  broken(
    "counts runs that ended at the time itself",
    "sums up how long runs were active that ended after a time, not at it [R89]",
    (store) => ({ sumActive: (workflow, after) => store.sumActive(workflow, after - 1) }),
  ),
  broken(
    "counts runs that have not ended",
    "sums up how long runs were active that ended after a time, not at it [R89]",
    (store) => ({
      sumActive: async (workflow, after) => {
        const { activeMs, oldestAt } = await store.sumActive(workflow, after);
        const open = (await rowsOf(store, workflow, "runs")).filter((run) => run.open);
        return { activeMs: open.reduce((sum, run) => sum + run.activeMs, activeMs), oldestAt };
      },
    }),
  ),
  broken(
    "sums up time as if it were short",
    "sums up time beyond every limit, and none of another workflow [R89]",
    (store) => ({
      sumActive: async (workflow, after) => {
        const ran = await store.sumActive(workflow, after);
        return { ...ran, activeMs: Math.fround(ran.activeMs) };
      },
    }),
  ),
];
