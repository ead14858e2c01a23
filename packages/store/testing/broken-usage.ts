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
];
