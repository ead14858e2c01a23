import { countedForMs, type Hash, type KeptResult, keptResultBytesMax } from "@holdfast/core";
import { expect } from "vitest";
import { Owner } from "./change-builder.ts";
import type { StoreCase } from "./store-case.ts";

const of = { chain: "r1", call: "first" as Hash };

function answer(result: string | null, set: Partial<KeptResult> = {}): KeptResult {
  return { ...of, at: 100, result, ...set };
}

export const keptResultCases: readonly StoreCase[] = [
  {
    name: "keeps what a metered call was answered, under its chain and its name [C28]",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      await Owner.create(store, "other");
      const { seq } = owner.head;
      const long = JSON.stringify("é\u0000\ud800".repeat(keptResultBytesMax / 16));
      const kept = [
        answer('{"a":1}'),
        answer(long, { call: "second" as Hash }),
        answer(null, { chain: "r2" }),
      ];
      const landed = await owner.commit({ facts: [], kept });
      expect(landed).toEqual({ kind: "committed", head: seq });
      expect(await store.findKept("orders", of)).toEqual(kept[0]);
      expect(await store.findKept("orders", { ...of, call: "second" as Hash })).toEqual(kept[1]);
      expect(await store.findKept("orders", { ...of, chain: "r2" })).toEqual(kept[2]);
      expect(await store.findKept("orders", { ...of, chain: "r3" })).toBeNull();
      expect(await store.findKept("other", of)).toBeNull();
      const unknown = { code: "WORKFLOW_UNKNOWN" };
      await expect(store.findKept("nobody", of)).rejects.toMatchObject(unknown);
      await owner.persistChange({ kept: [answer("2", { at: 200 })] });
      expect(await store.findKept("orders", of)).toEqual(answer("2", { at: 200 }));
    },
  },
  {
    name: "keeps and forgets answers for the owner alone [C28, R158]",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      const late = { facts: [], kept: [answer("1")], epoch: 9 };
      expect(await owner.commit(late)).toEqual({ kind: "lease_lost" });
      expect(await store.findKept("orders", of)).toBeNull();
      const before = owner.head;
      await owner.persistChange({ kept: [answer("1")] });
      const behind = { onHead: before, facts: [], kept: [answer("2")], forgetKept: ["r1"] };
      expect(await owner.commit(behind)).toMatchObject({ kind: "conflict" });
      expect(await store.findKept("orders", of)).toEqual(answer("1"));
      const bad = { facts: [], kept: [answer("1", { at: Number.NaN })] };
      expect(await owner.commit(bad)).toMatchObject({ kind: "refused" });
      const torn = { facts: [], forgetKept: ["\ud800"] };
      expect(await owner.commit(torn)).toMatchObject({ kind: "refused" });
    },
  },
  {
    name: "forgets answers with their chain, in the change that ends it, and no others [C28]",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      const other = await Owner.create(store, "other");
      const second = { ...of, call: "second" as Hash };
      await owner.persistChange({ kept: [answer("1"), answer("2", second)] });
      await owner.persistChange({ kept: [answer("3", { chain: "r10" })] });
      await other.persistChange({ kept: [answer("4")] });
      await owner.persistChange({ forgetKept: ["r1", "r7"] });
      expect(await store.findKept("orders", of)).toBeNull();
      expect(await store.findKept("orders", second)).toBeNull();
      expect(await store.findKept("orders", { ...of, chain: "r10" })).not.toBeNull();
      expect(await store.findKept("other", of)).not.toBeNull();
    },
  },
  {
    name: "forgets answers that were kept for long, and no others [C28]",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      const younger = { ...of, call: "second" as Hash };
      await owner.persistChange({ kept: [answer("1"), answer("2", { ...younger, at: 101 })] });
      const now = answer("3", { chain: "r9", at: 101 + countedForMs });
      await owner.persistChange({ kept: [now] });
      expect(await store.findKept("orders", of)).toBeNull();
      expect(await store.findKept("orders", younger)).not.toBeNull();
    },
  },
];
