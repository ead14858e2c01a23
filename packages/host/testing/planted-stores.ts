/** Stores through which a host judges wrongly, each in one way. */
import type { Loaded, Store } from "@holdfast/core";
import { withCalls } from "./granted-play.ts";

type LoadedRow = Loaded["rows"][number];

type Planted = {
  readonly plant: (store: Store) => Store;
  /** What it leads to. */
  readonly finding: string;
};

const alone = "is approved by nobody who may";

export const plantedStores: Readonly<Record<string, Planted>> = {
  "expects no version of a budget": {
    finding: "is beyond a budget",
    plant: (store) =>
      withCalls(store, {
        commit: (changes) => store.commit(changes.map((change) => ({ ...change, budgets: [] }))),
      }),
  },
  "takes whoever approves for somebody else": {
    finding: alone,
    plant: (store) =>
      withCalls(store, {
        readInbox: async (workflow, limit) => {
          const entries = await store.readInbox(workflow, limit);
          return entries.map((entry) =>
            entry.kind === "approve_mutation" ? { ...entry, actor: "eve" } : entry,
          );
        },
      }),
  },
  "forgets who deployed what made the call": {
    finding: alone,
    plant: (store) =>
      forgetting(store, (each) =>
        each.table === "runs" ? { ...each, row: { ...each.row, deployers: [] } } : each,
      ),
  },
  "forgets who proposed the version": {
    finding: alone,
    plant: (store) =>
      forgetting(store, (each) =>
        each.table === "workflows" ? { ...each, row: { ...each.row, proposedBy: null } } : each,
      ),
  },
  "forgets who edited the call": {
    finding: alone,
    plant: (store) =>
      forgetting(store, (each) => {
        if (each.table !== "mutations" || each.row.approval === null) return each;
        const { edited, ...approval } = each.row.approval;
        return { ...each, row: { ...each.row, approval } };
      }),
  },
};

function forgetting(store: Store, forget: (row: LoadedRow) => LoadedRow): Store {
  return withCalls(store, {
    load: async (workflow, needs) => {
      const loaded = await store.load(workflow, needs);
      return { ...loaded, rows: loaded.rows.map(forget) };
    },
  });
}
