import type { Store } from "@holdfast/core";
import { expect } from "vitest";
import { expectHostError } from "./expectation.ts";
import { claimed, dueWorkflow, leaseMs, openHosts } from "./lease.testsuite.ts";
import type { StoreCase } from "./store-case.ts";

function expectTaken(store: Store, incarnation: string): Promise<void> {
  const longer = { incarnation, leaseMs: leaseMs * 100 };
  return expectHostError(() => store.openHost(longer), "HOST_TAKEN");
}

/** Who may register as a host: a name is one process, for as long as anybody remembers it. */
export const registrationCases: readonly StoreCase[] = [
  {
    name: "refuses a host's name while that host lives, and leaves its lease as it was",
    run: async ({ store, clock }) => {
      await openHosts(store, "host-1");
      await expectTaken(store, "host-1");
      clock.advance(leaseMs + 1);
      expect(await store.heartbeat("host-1")).toBe(false);
    },
  },
  {
    name: "refuses the name of a host that died: its workflows may be in mid-run",
    run: async (context) => {
      const { store, clock } = context;
      await dueWorkflow(context, "orders");
      await openHosts(store, "host-1");
      expect(await claimed(store, "host-1")).toEqual(["orders"]);
      clock.advance(leaseMs + 1);
      await expectTaken(store, "host-1");
      await openHosts(store, "host-2");
      expect((await store.claim("host-2", 1)).claims).toMatchObject([{ unclean: true }]);
      await expectTaken(store, "host-1");
    },
  },
  {
    name: "lets a name be used again after its host has closed",
    run: async ({ store }) => {
      await openHosts(store, "host-1");
      await store.closeHost("host-1");
      const again = store.openHost({ incarnation: "host-1", leaseMs });
      await expect(again).resolves.toBeUndefined();
      expect(await store.heartbeat("host-1")).toBe(true);
    },
  },
  {
    name: "lets in one of several that register under one name at once",
    run: async ({ store }) => {
      const tries = await Promise.allSettled(
        [1, 2, 3].map(() => store.openHost({ incarnation: "host-1", leaseMs })),
      );
      expect(tries.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
      const refused = tries.filter((outcome) => outcome.status === "rejected");
      for (const { reason } of refused) expect(reason).toMatchObject({ code: "HOST_TAKEN" });
    },
  },
  {
    name: "still knows its hosts when it is opened again",
    needsReopen: true,
    run: async ({ store, reopen }) => {
      await openHosts(store, "host-1");
      await expectTaken(await reopen(), "host-1");
    },
  },
];
