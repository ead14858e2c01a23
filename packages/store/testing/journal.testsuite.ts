import { type ChainPoint, type Fact, genesisHash, openRecord, type Store } from "@holdfast/core";
import { expect } from "vitest";
import { Owner, someFact } from "./change-builder.ts";
import type { StoreCase } from "./store-case.ts";

const facts: readonly Fact[] = [
  { kind: "workflow_created", name: "orders" },
  { kind: "workflow_errored", error: "naïve \u{1F600} \u0001 line\nbreak" },
  { kind: "workflow_paused", actor: "ada" },
];

async function readFacts(store: Store, workflow: string): Promise<Fact[]> {
  const read: Fact[] = [];
  let previous: ChainPoint = { seq: 0, hash: genesisHash };
  for (const entry of await store.readJournal(workflow, 0, 1000)) {
    const opened = openRecord(workflow, previous, entry);
    expect(opened, `record ${entry.seq}`).toMatchObject({ ok: true });
    if (opened.ok) read.push(opened.record.fact);
    previous = entry;
  }
  return read;
}

export const journalCases: readonly StoreCase[] = [
  {
    name: "gives every record back byte for byte, with its hash and place",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      const change = owner.change({ facts });
      await store.commit([change]);
      expect(await store.readJournal("orders", 0, 100)).toEqual(
        change.records.map(({ seq, hash, bytes }) => ({ seq, hash, bytes })),
      );
    },
  },
  {
    name: "keeps one unbroken chain over many commits",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      for (const fact of facts) await owner.persistChange({ facts: [fact, someFact] });
      const expected = facts.flatMap((fact) => [fact, someFact]);
      expect(await readFacts(store, "orders")).toEqual(expected);
    },
  },
  {
    name: "reads a range: after a place, up to a limit",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      for (let index = 0; index < 7; index++) await owner.persist();
      const seqs = async (after: number, limit: number) =>
        (await store.readJournal("orders", after, limit)).map((entry) => entry.seq);
      expect(await seqs(0, 3)).toEqual([1, 2, 3]);
      expect(await seqs(3, 3)).toEqual([4, 5, 6]);
      expect(await seqs(6, 3)).toEqual([7]);
      expect(await seqs(7, 3)).toEqual([]);
      expect(await seqs(99, 3)).toEqual([]);
    },
  },
  {
    name: "does not mix the journals of two workflows",
    run: async ({ store }) => {
      const first = await Owner.create(store, "first");
      const second = await Owner.create(store, "second");
      await store.commit([first.change({ facts }), second.change()]);
      expect(await readFacts(store, "first")).toEqual(facts);
      expect(await readFacts(store, "second")).toEqual([someFact]);
    },
  },
  {
    name: "is not changed by a caller who changes the bytes of a record it gave or got",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      const change = owner.change();
      const written = Uint8Array.from(change.records[0]?.bytes ?? []);
      await store.commit([change]);
      change.records[0]?.bytes.fill(0);
      const [got] = await store.readJournal("orders", 0, 1);
      expect(got?.bytes).toEqual(written);
      got?.bytes.fill(0);
      const [again] = await store.readJournal("orders", 0, 1);
      expect(again?.bytes).toEqual(written);
    },
  },
  {
    name: "goes on from the same head after it is opened again",
    needsReopen: true,
    run: async ({ store, reopen }) => {
      const owner = await Owner.create(store);
      await owner.persistChange({ facts, at: 31 });
      const again = await reopen();
      const next = await Owner.of(again, "orders");
      expect(next.head).toEqual(owner.head);
      expect((await again.load("orders", [])).head.at).toBe(31);
      await next.persist();
      expect(await readFacts(again, "orders")).toEqual([...facts, someFact]);
    },
  },
];
