import { factVersion, waitingCountMax } from "@holdfast/core";
import { expect } from "vitest";
import { Owner } from "./change-builder.ts";
import { command } from "./inbox.testsuite.ts";
import { claimed, dueWorkflow, leaseMs, openHosts, release } from "./lease.testsuite.ts";
import type { CaseContext, StoreCase } from "./store-case.ts";

const nothing = { hosts: 0, owned: 0, waiting: 0 };

/** One workflow of every kind that nobody may be given now. */
async function createUnclaimable(context: CaseContext): Promise<void> {
  const { store, clock } = context;
  await dueWorkflow(context, "later", -60_000);
  await (await Owner.create(store, "idle")).persist();
  await Owner.create(store, "new");
  const newer = await Owner.create(store, "newer");
  await newer.persistChange({ dueAt: clock.now() - 1, version: factVersion + 1 });
}

export const censusCases: readonly StoreCase[] = [
  {
    name: "counts nothing where nothing is",
    run: async ({ store }) => {
      expect(await store.census()).toEqual(nothing);
    },
  },
  {
    name: "counts the hosts that live, not those that died or closed",
    run: async ({ store, clock }) => {
      await openHosts(store, "dies", "closes", "lives");
      expect(await store.census()).toEqual({ ...nothing, hosts: 3 });
      await store.closeHost("closes");
      clock.advance(leaseMs - 1);
      expect(await store.heartbeat("lives")).toBe(true);
      expect(await store.census()).toEqual({ ...nothing, hosts: 2 });
      clock.advance(1);
      expect(await store.census()).toEqual({ ...nothing, hosts: 1 });
    },
  },
  {
    name: "counts as owned what a living host owns, and as waiting what a dead one left",
    run: async (context) => {
      const { store, clock } = context;
      for (const name of ["a", "b", "c"]) await dueWorkflow(context, name);
      await openHosts(store, "dies", "lives");
      expect(await claimed(store, "dies", 1)).toEqual(["a"]);
      expect(await claimed(store, "lives", 1)).toEqual(["b"]);
      expect(await store.census()).toEqual({ hosts: 2, owned: 2, waiting: 1 });
      clock.advance(leaseMs - 1);
      expect(await store.heartbeat("lives")).toBe(true);
      clock.advance(1);
      expect(await store.census()).toEqual({ hosts: 1, owned: 1, waiting: 2 });
      await release(store, "lives", "b");
      expect(await store.census()).toEqual({ hosts: 1, owned: 0, waiting: 3 });
    },
  },
  {
    name: "counts as waiting exactly what claim gives out, each workflow once",
    run: async (context) => {
      const { store, clock } = context;
      await createUnclaimable(context);
      await dueWorkflow(context, "due");
      await Owner.create(store, "asked");
      await dueWorkflow(context, "died");
      for (const workflow of ["due", "asked"]) {
        await store.appendCommand(command("c-1", { workflow }));
        await store.appendCommand(command("c-2", { workflow }));
      }
      await openHosts(store, "dies");
      await store.claim("dies", 100);
      await release(store, "dies", "due");
      await release(store, "dies", "asked");
      clock.advance(leaseMs);
      await openHosts(store, "lives");
      expect(await store.census()).toEqual({ hosts: 1, owned: 0, waiting: 3 });
      expect([...(await claimed(store, "lives"))].sort()).toEqual(["asked", "died", "due"]);
      expect(await store.census()).toEqual({ hosts: 1, owned: 3, waiting: 0 });
    },
  },
  {
    name: "counts what waits no further than anybody needs to know",
    run: async ({ store, clock }) => {
      const names = Array.from({ length: waitingCountMax + 5 }, (_, index) => `w-${index}`);
      await Promise.all(names.map((name) => store.createWorkflow(name)));
      const owners = await Promise.all(names.map((name) => Owner.of(store, name)));
      const dueAt = clock.now();
      await store.commit(owners.map((owner) => owner.change({ dueAt })));
      expect(await store.census()).toEqual({ ...nothing, waiting: waitingCountMax });
    },
  },
];
