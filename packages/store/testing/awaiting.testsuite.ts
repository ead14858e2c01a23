import { insertRow, type Store, updateRow } from "@holdfast/core";
import { expect } from "vitest";
import { Owner } from "./change-builder.ts";
import { claimed, dueWorkflow, leaseMs, openHosts, release } from "./lease.testsuite.ts";
import { mutationRow } from "./row-builder.ts";
import type { StoreCase } from "./store-case.ts";

/** Not due, and with a call that waits for that executor. */
async function awaiting(store: Store, workflow: string, executor: string): Promise<Owner> {
  const owner = await Owner.create(store, workflow);
  await owner.persist(call("m1", executor));
  return owner;
}

function call(mutationId: string, awaitsExecutor: string) {
  const own = { runId: `run of ${mutationId}`, state: "ready", awaitsExecutor } as const;
  return insertRow("mutations", mutationRow(mutationId, own));
}

const awaitingCases: readonly StoreCase[] = [
  {
    name: "lists the workflows with a call that waits for an executor, each once, in pages",
    run: async ({ store }) => {
      for (const workflow of ["c", "a", "b"]) await awaiting(store, workflow, "http");
      const two = await awaiting(store, "d", "http");
      await two.persist(call("m2", "http"));
      await awaiting(store, "other", "mail");
      expect(await store.listAwaiting("http", null, 10)).toEqual(["a", "b", "c", "d"]);
      expect(await store.listAwaiting("http", null, 2)).toEqual(["a", "b"]);
      expect(await store.listAwaiting("http", "b", 1_000)).toEqual(["c", "d"]);
      expect(await store.listAwaiting("mail", null, 10)).toEqual(["other"]);
      expect(await store.listAwaiting("ship", null, 10)).toEqual([]);
    },
  },
  {
    name: "lists none any more when no call of it waits for the executor",
    run: async ({ store }) => {
      const owner = await awaiting(store, "orders", "http");
      const sent = { state: "in_flight", awaitsExecutor: null } as const;
      await owner.persist(updateRow("mutations", ["m1"], sent));
      expect(await store.listAwaiting("http", null, 10)).toEqual([]);
    },
  },
  {
    name: "what waits for an executor is neither due nor claimed",
    run: async ({ store }) => {
      await awaiting(store, "orders", "http");
      await openHosts(store, "host-1");
      expect(await claimed(store, "host-1")).toEqual([]);
      expect([await store.nextDueAt(), (await store.census()).waiting]).toEqual([null, 0]);
    },
  },
];

const claimOneCases: readonly StoreCase[] = [
  {
    name: "gives one workflow by its name, due or not, with a new epoch",
    run: async (context) => {
      const { store } = context;
      const owner = await Owner.create(store);
      await dueWorkflow(context, "other");
      await openHosts(store, "host-1", "host-2");
      const epoch = owner.epoch + 1;
      const first = await store.claimOne("host-1", "orders");
      expect(first).toEqual({ workflow: "orders", epoch, unclean: false });
      expect(await owner.commit()).toEqual({ kind: "lease_lost" });
      expect(await claimed(store, "host-2")).toEqual(["other"]);
    },
  },
  {
    name: "never gives one workflow by its name while somebody has it",
    run: async ({ store, clock }) => {
      await Owner.create(store);
      await openHosts(store, "host-1", "host-2");
      expect(await store.claimOne("host-1", "orders")).not.toBeNull();
      expect(await store.claimOne("host-2", "orders")).toBeNull();
      expect(await store.claimOne("host-1", "orders")).toBeNull();
      await release(store, "host-1", "orders");
      expect(await store.claimOne("host-2", "orders")).toMatchObject({ unclean: false });
      clock.advance(leaseMs);
      await openHosts(store, "host-3");
      // Whoever looks for work takes what the dead have left, and learns that they died.
      expect(await store.claimOne("host-3", "orders")).toBeNull();
      expect(await claimed(store, "host-3")).toEqual(["orders"]);
    },
  },
  {
    name: "gives one workflow by its name to no host that is dead or was never opened",
    run: async ({ store, clock }) => {
      await Owner.create(store);
      expect(await store.claimOne("nobody", "orders")).toBeNull();
      await openHosts(store, "host-1");
      clock.advance(leaseMs);
      expect(await store.claimOne("host-1", "orders")).toBeNull();
    },
  },
  {
    name: "one workflow that is given by its name stays unclean until its owner commits",
    run: async (context) => {
      const { store, clock } = context;
      const owner = await dueWorkflow(context, "orders");
      await openHosts(store, "host-1");
      expect(await claimed(store, "host-1")).toEqual(["orders"]);
      clock.advance(leaseMs);
      await openHosts(store, "host-2");
      expect(await claimed(store, "host-2")).toEqual(["orders"]);
      await release(store, "host-2", "orders");
      const claim = await store.claimOne("host-2", "orders");
      expect(claim).toMatchObject({ epoch: owner.epoch + 3, unclean: true });
    },
  },
];

export const awaitedCases: readonly StoreCase[] = [...awaitingCases, ...claimOneCases];
