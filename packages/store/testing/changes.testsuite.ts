import type { Changes, Store } from "@holdfast/core";
import { expect } from "vitest";
import { Owner, someFact } from "./change-builder.ts";
import { expectHostError } from "./expectation.ts";
import { command } from "./inbox.testsuite.ts";
import type { StoreCase } from "./store-case.ts";

async function nowCursor(store: Store): Promise<string> {
  return (await store.readChanges(null)).cursor;
}

function headsOf({ changed }: Changes): Readonly<Record<string, number>> {
  expect(new Set(changed.map(({ workflow }) => workflow)).size).toBe(changed.length);
  return Object.fromEntries(changed.map(({ workflow, head }) => [workflow, head]));
}

/** Follows the changes while somebody commits, and says which heads it has heard of. */
class Follower {
  readonly heads: Record<string, number> = {};
  readonly #store: Store;
  #cursor: string;

  constructor(store: Store, cursor: string) {
    this.#store = store;
    this.#cursor = cursor;
  }

  async follow(): Promise<void> {
    const changes = await this.#store.readChanges(this.#cursor);
    Object.assign(this.heads, headsOf(changes));
    this.#cursor = changes.cursor;
  }
}

const followCases: readonly StoreCase[] = [
  {
    name: "begins with nothing, whatever happened before",
    run: async ({ store }) => {
      await (await Owner.create(store)).persist();
      const { changed, cursor } = await store.readChanges(null);
      expect(changed).toEqual([]);
      expect((await store.readChanges(cursor)).changed).toEqual([]);
    },
  },
  {
    name: "names every workflow whose head moved, once, with the head it has now",
    run: async ({ store }) => {
      const [one, two] = [await Owner.create(store, "one"), await Owner.create(store, "two")];
      await (await Owner.create(store, "still")).persist();
      await one.persist();
      const cursor = await nowCursor(store);
      await one.persistChange({ facts: [someFact, someFact] });
      await two.persist();
      await one.persist();
      expect(headsOf(await store.readChanges(cursor))).toEqual({ one: 4, two: 1 });
    },
  },
  {
    name: "goes on from its last answer, and an older cursor can be used again",
    run: async ({ store }) => {
      const [one, two] = [await Owner.create(store, "one"), await Owner.create(store, "two")];
      const start = await nowCursor(store);
      await one.persist();
      const first = await store.readChanges(start);
      expect(headsOf(first)).toEqual({ one: 1 });
      await two.persist();
      expect(headsOf(await store.readChanges(first.cursor))).toEqual({ two: 1 });
      expect(headsOf(await store.readChanges(start))).toEqual({ one: 1, two: 1 });
    },
  },
  {
    name: "names nothing for what moved no head",
    run: async ({ store, clock }) => {
      const owner = await Owner.create(store);
      await owner.persist();
      const cursor = await nowCursor(store);
      await owner.commit({ epoch: 99 });
      await owner.commit({ onHead: { seq: 0, hash: owner.head.hash } });
      await owner.persistChange({ facts: [], dueAt: clock.now() });
      await store.appendCommand(command("c-1"));
      await store.createWorkflow("new");
      await store.openHost({ incarnation: "host-1", leaseMs: 1000 });
      await store.claim("host-1", 10);
      expect((await store.readChanges(cursor)).changed).toEqual([]);
    },
  },
  {
    name: "passes over no change that is committed while the changes are read",
    run: async ({ store }) => {
      const names = ["a", "b", "c", "d", "e"];
      const owners = await Promise.all(names.map((name) => Owner.create(store, name)));
      const follower = new Follower(store, await nowCursor(store));
      for (let round = 0; round < 20; round++) {
        const [before, after] = [owners.slice(0, 2), owners.slice(2)];
        const commits = before.map((owner) => owner.persist());
        const reading = follower.follow();
        await Promise.all([reading, ...commits, ...after.map((owner) => owner.persist())]);
      }
      await follower.follow();
      expect(follower.heads).toEqual(Object.fromEntries(names.map((name) => [name, 20])));
    },
  },
  {
    name: "gives many changes as surely as few",
    run: async ({ store }) => {
      const cursor = await nowCursor(store);
      const owner = await Owner.create(store);
      for (let round = 0; round < 10; round++) {
        await owner.persistChange({ facts: Array.from({ length: 100 }, () => someFact) });
      }
      expect(headsOf(await store.readChanges(cursor))).toEqual({ orders: 1000 });
    },
  },
];

const cursorCases: readonly StoreCase[] = [
  {
    name: "refuses a cursor that it did not give out",
    run: async ({ store }) => {
      await (await Owner.create(store)).persist();
      const cursor = await nowCursor(store);
      const wrong = ["", " ", "0", "7", "-1", "garbage", "\u{1F600}", "null"];
      for (const text of [...wrong, `${cursor}x`, `x${cursor}`, `9${cursor}`]) {
        await expectHostError(() => store.readChanges(text), "CURSOR_UNKNOWN", text);
      }
    },
  },
  {
    name: "goes on from a cursor that it gave out before it was opened again",
    needsReopen: true,
    run: async ({ store, reopen }) => {
      const owner = await Owner.create(store);
      const cursor = await nowCursor(store);
      await owner.persist();
      const again = await reopen();
      await (await Owner.create(again, "later")).persist();
      expect(headsOf(await again.readChanges(cursor))).toEqual({ orders: 1, later: 1 });
    },
  },
];

export const changeCases: readonly StoreCase[] = [...followCases, ...cursorCases];
