import type { Change, KeptResult, Store } from "@holdfast/core";
import { type BrokenStore, broken } from "./broken-store.ts";

const named = "keeps what a metered call was answered, under its chain and its name [C28]";
const owned = "keeps and forgets answers for the owner alone [C28, R158]";
const ended = "forgets answers with their chain, in the change that ends it, and no others [C28]";
const old = "forgets answers that were kept for long, and no others [C28]";

function changing(store: Store, change: (each: Change) => Change): Pick<Store, "commit"> {
  return { commit: (changes) => store.commit(changes.map(change)) };
}

function keeping(store: Store, change: (kept: KeptResult) => KeptResult): Pick<Store, "commit"> {
  return changing(store, (each) => ({ ...each, kept: each.kept?.map(change) ?? [] }));
}

export const brokenKeptResults: readonly BrokenStore[] = [
  broken("keeps no answers", named, (store) => changing(store, (each) => ({ ...each, kept: [] }))),
  broken("keeps one answer for all calls of a chain", named, (store) => ({
    ...keeping(store, (kept) => ({ ...kept, call: "" as KeptResult["call"] })),
    findKept: (workflow, of) => store.findKept(workflow, { ...of, call: "" as typeof of.call }),
  })),
  broken("keeps answers for whoever asks", owned, (store) => ({
    commit: async (changes) => {
      for (const each of changes) {
        const { epoch, head } = await store.load(each.workflow, []);
        const aside = { rows: [], records: [], blobs: [], expectedHead: head.seq, epoch };
        if (each.kept !== undefined) await store.commit([{ ...each, ...aside }]);
      }
      return store.commit(changes);
    },
  })),
  broken("forgets no chain", ended, (store) =>
    changing(store, (each) => ({ ...each, forgetKept: [] })),
  ),
  broken("forgets answers too early", old, (store) =>
    keeping(store, (kept) => ({ ...kept, at: kept.at > 1_000 ? kept.at + 1 : kept.at })),
  ),
];
