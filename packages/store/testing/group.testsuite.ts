import { type Change, insertRow, openRecord, type Store } from "@holdfast/core";
import { expect } from "vitest";
import { Owner } from "./change-builder.ts";
import { everythingOf, expectRefused } from "./expectation.ts";
import { topicRow } from "./row-builder.ts";
import type { StoreCase } from "./store-case.ts";
import { rowsOf } from "./table-reader.ts";

const someRow = insertRow("topics", topicRow("orders"));

/** One group: a good change before and after one that must not land. */
async function groupAround(
  store: Parameters<typeof Owner.create>[0],
  bad: (owner: Owner) => Change,
) {
  const first = await Owner.create(store, "first");
  const middle = await Owner.create(store, "middle");
  const last = await Owner.create(store, "last");
  await middle.persist(someRow);
  const before = await everythingOf(store, middle);
  const answers = await store.commit([
    first.change({ rows: [someRow] }),
    bad(middle),
    last.change({ rows: [someRow] }),
  ]);
  expect(await everythingOf(store, middle)).toEqual(before);
  expect(await rowsOf(store, "first", "topics")).toHaveLength(1);
  expect(await rowsOf(store, "last", "topics")).toHaveLength(1);
  expect(answers).toHaveLength(3);
  expect(answers[0]).toEqual({ kind: "committed", head: 1 });
  expect(answers[2]).toEqual({ kind: "committed", head: 1 });
  return answers[1];
}

export const groupCases: readonly StoreCase[] = [
  {
    name: "answers an empty group with no answers",
    run: async ({ store }) => {
      expect(await store.commit([])).toEqual([]);
    },
  },
  {
    name: "a stale head never lands and never fails the others of its group",
    run: async ({ store }) => {
      const answer = await groupAround(store, (owner) =>
        owner.change({
          onHead: { seq: 0, hash: owner.head.hash },
          rows: [insertRow("topics", topicRow("late"))],
        }),
      );
      expect(answer).toEqual({ kind: "conflict", head: 1 });
    },
  },
  {
    name: "a stale epoch never lands and never fails the others of its group",
    run: async ({ store }) => {
      const answer = await groupAround(store, (owner) =>
        owner.change({
          epoch: owner.epoch + 1,
          rows: [insertRow("topics", topicRow("late"))],
        }),
      );
      expect(answer).toEqual({ kind: "lease_lost" });
    },
  },
  {
    name: "a refused change never fails the others of its group",
    run: async ({ store }) => {
      const answer = await groupAround(store, (owner) =>
        owner.change({ rows: [insertRow("topics", topicRow("late")), someRow] }),
      );
      expectRefused(answer, "row_exists");
    },
  },
  {
    name: "takes the changes of one workflow in the order of the group",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      const first = owner.change({ rows: [someRow] });
      owner.advance(first);
      const second = owner.change({ rows: [insertRow("topics", topicRow("second"))] });
      expect(await store.commit([first, second])).toEqual([
        { kind: "committed", head: 1 },
        { kind: "committed", head: 2 },
      ]);
      expect(await rowsOf(store, "orders", "topics")).toHaveLength(2);
    },
  },
  {
    name: "of two decisions on one head in a group, the first lands and the second conflicts",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      const first = owner.change({ rows: [insertRow("topics", topicRow("first"))] });
      const second = owner.change({ rows: [insertRow("topics", topicRow("second"))] });
      expect(await store.commit([first, second])).toEqual([
        { kind: "committed", head: 1 },
        { kind: "conflict", head: 1 },
      ]);
      expect(await rowsOf(store, "orders", "topics")).toMatchObject([{ name: "first" }]);
    },
  },
  {
    name: "of many decisions on one head, called at once, exactly one lands",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      const calls = Array.from({ length: 20 }, (_, index) =>
        store.commit([owner.change({ rows: [insertRow("topics", topicRow(`t-${index}`))] })]),
      );
      const answers = (await Promise.all(calls)).flat();
      expect(answers.filter((answer) => answer.kind === "committed")).toHaveLength(1);
      expect(answers.filter((answer) => answer.kind === "conflict")).toHaveLength(19);
      expect(await rowsOf(store, "orders", "topics")).toHaveLength(1);
    },
  },
  {
    name: "keeps every chain whole when many workflows commit at once",
    run: async ({ store }) => {
      const owners = await Promise.all(
        Array.from({ length: 12 }, (_, index) => Owner.create(store, `w-${index}`)),
      );
      await Promise.all(
        owners.map(async (owner) => {
          for (let round = 0; round < 8; round++) {
            await owner.persist(insertRow("topics", topicRow(`t-${round}`)));
          }
        }),
      );
      for (const owner of owners) {
        const entries = await store.readJournal(owner.workflow, 0, 100);
        expect(entries).toHaveLength(8);
        let previous = (await Owner.create(store, `new-${owner.workflow}`)).head;
        for (const entry of entries) {
          expect(openRecord(owner.workflow, previous, entry).ok).toBe(true);
          previous = entry;
        }
        expect(await rowsOf(store, owner.workflow, "topics")).toHaveLength(8);
      }
    },
  },
  {
    name: "lands groups that cross, at once and within the answers of others, all of them [S61]",
    run: async ({ store }) => {
      const names = ["a", "b", "c", "d"];
      const owners = await Promise.all(names.map((name) => Owner.create(store, name)));
      const landed: Promise<unknown>[] = [];
      for (let round = 0; round < 8; round++) {
        // Whoever takes them in the order they are given in meets the others coming the other way.
        const [one, other] = round % 2 === 0 ? [owners, owners.toReversed()] : [owners, owners];
        landed.push(crossing(store, one, `one-${round}`), crossing(store, other, `two-${round}`));
      }
      const ends = await Promise.allSettled(landed);
      expect(ends.filter(({ status }) => status === "rejected")).toEqual([]);
      for (const name of names) {
        expect(await rowsOf(store, name, "topics")).toHaveLength(16);
        expect(await store.readJournal(name, 0, 100)).toHaveLength(16);
      }
    },
  },
];

/** Commits what it wants of every owner, and from within each answer what did not land, again. */
async function crossing(store: Store, owners: readonly Owner[], topic: string): Promise<void> {
  const fresh = await Promise.all(owners.map(({ workflow }) => Owner.of(store, workflow)));
  const changes = fresh.map((owner) =>
    owner.change({ rows: [insertRow("topics", topicRow(topic))] }),
  );
  const answers = await store.commit(changes);
  for (const { kind } of answers) expect(["committed", "conflict"]).toContain(kind);
  const missed = owners.filter((_, index) => answers[index]?.kind !== "committed");
  // One by one as well: a change alone while groups are under way.
  if (missed.length > 0) await Promise.all(missed.map((owner) => crossing(store, [owner], topic)));
}
