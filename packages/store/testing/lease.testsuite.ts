import { factVersion, type Store } from "@holdfast/core";
import { expect } from "vitest";
import { Owner, only } from "./change-builder.ts";
import type { CaseContext, StoreCase } from "./store-case.ts";

export const leaseMs = 1000;

export async function openHosts(store: Store, ...incarnations: readonly string[]): Promise<void> {
  for (const incarnation of incarnations) await store.openHost({ incarnation, leaseMs });
}

/** A workflow that is due so many milliseconds ago. */
export async function dueWorkflow(
  { store, clock }: CaseContext,
  workflow: string,
  overdueMs = 0,
): Promise<Owner> {
  const owner = await Owner.create(store, workflow);
  await owner.persistChange({ dueAt: clock.now() - overdueMs });
  return owner;
}

export async function claimed(
  store: Store,
  incarnation: string,
  limit = 100,
): Promise<readonly string[]> {
  return (await store.claim(incarnation, limit)).claims.map((claim) => claim.workflow);
}

/** Under the epoch it has now. */
export async function release(store: Store, incarnation: string, workflow: string): Promise<void> {
  const { epoch } = await store.load(workflow, []);
  await store.release(incarnation, { workflow, epoch });
}

const claimCases: readonly StoreCase[] = [
  {
    name: "gives the owner a new epoch with each claim",
    run: async (context) => {
      const { store } = context;
      const owner = await dueWorkflow(context, "orders");
      await openHosts(store, "host-1", "host-2");
      const first = only((await store.claim("host-1", 10)).claims);
      expect(first).toEqual({ workflow: "orders", epoch: owner.epoch + 1, unclean: false });
      expect((await store.load("orders", [])).epoch).toBe(first.epoch);
      await release(store, "host-1", "orders");
      const second = only((await store.claim("host-2", 10)).claims);
      expect(second).toEqual({ workflow: "orders", epoch: first.epoch + 1, unclean: false });
    },
  },
  {
    name: "never gives a workflow to a second host while the first lives",
    run: async (context) => {
      const { store, clock } = context;
      await dueWorkflow(context, "orders");
      await openHosts(store, "host-1", "host-2");
      expect(await claimed(store, "host-1")).toEqual(["orders"]);
      expect(await claimed(store, "host-2")).toEqual([]);
      expect(await claimed(store, "host-1")).toEqual([]);
      for (let beat = 0; beat < 5; beat++) {
        clock.advance(leaseMs - 1);
        expect(await store.heartbeat("host-1")).toBe(true);
        expect(await store.heartbeat("host-2")).toBe(true);
        expect(await claimed(store, "host-2")).toEqual([]);
      }
    },
  },
  {
    name: "gives each workflow to one of two hosts that claim at once",
    run: async (context) => {
      const { store } = context;
      for (let index = 0; index < 10; index++) await dueWorkflow(context, `w-${index}`);
      await openHosts(store, "host-1", "host-2");
      const taken = await Promise.all([
        claimed(store, "host-1", 6),
        claimed(store, "host-2", 6),
        claimed(store, "host-1", 6),
      ]);
      const all = taken.flat();
      expect(new Set(all).size).toBe(all.length);
      expect(all).toHaveLength(10);
    },
  },
  {
    name: "gives no more than the limit, longest overdue first",
    run: async (context) => {
      const { store } = context;
      await dueWorkflow(context, "a", 10);
      await dueWorkflow(context, "b", 30);
      await dueWorkflow(context, "c", 20);
      await dueWorkflow(context, "d", 0);
      await openHosts(store, "host-1");
      expect(await claimed(store, "host-1", 2)).toEqual(["b", "c"]);
      expect(await claimed(store, "host-1", 2)).toEqual(["a", "d"]);
      expect(await claimed(store, "host-1", 2)).toEqual([]);
    },
  },
  {
    name: "gives only workflows that are due",
    run: async (context) => {
      const { store, clock } = context;
      await dueWorkflow(context, "later", -50);
      const never = await Owner.create(store, "never");
      await never.persist();
      await Owner.create(store, "new");
      await openHosts(store, "host-1");
      expect(await claimed(store, "host-1")).toEqual([]);
      clock.advance(50);
      expect(await claimed(store, "host-1")).toEqual(["later"]);
    },
  },
  {
    name: "gives nothing to a host that is not registered, or whose lease ran out",
    run: async (context) => {
      const { store, clock } = context;
      await dueWorkflow(context, "orders");
      expect(await claimed(store, "nobody")).toEqual([]);
      await openHosts(store, "host-1");
      clock.advance(leaseMs + 1);
      expect(await claimed(store, "host-1")).toEqual([]);
      await openHosts(store, "host-2");
      expect(await claimed(store, "host-2")).toEqual(["orders"]);
    },
  },
  {
    name: "names what is due but too new for this program, and gives out the rest",
    run: async (context) => {
      const { store, clock } = context;
      const newer = await Owner.create(store, "newer");
      const version = factVersion + 1;
      await newer.persistChange({ dueAt: clock.now() - 90, version });
      await newer.persistChange({ dueAt: clock.now() - 90 });
      const idle = await Owner.create(store, "newer-idle");
      await idle.persistChange({ version });
      await dueWorkflow(context, "orders");
      await openHosts(store, "host-1");
      const answer = await store.claim("host-1", 1);
      expect(answer.claims).toMatchObject([{ workflow: "orders" }]);
      expect(answer.tooNew).toEqual(["newer"]);
      expect((await store.load("newer", [])).epoch).toBe(newer.epoch);
    },
  },
  {
    name: "names no more that is too new than the limit, longest overdue first",
    run: async ({ store, clock }) => {
      for (const [workflow, overdueMs] of [
        ["a", 10],
        ["b", 30],
        ["c", 20],
      ] as const) {
        const newer = await Owner.create(store, workflow);
        await newer.persistChange({ dueAt: clock.now() - overdueMs, version: factVersion + 1 });
      }
      await openHosts(store, "host-1");
      expect(await store.claim("host-1", 2)).toEqual({ claims: [], tooNew: ["b", "c"] });
    },
  },
];

const expiryCases: readonly StoreCase[] = [
  {
    name: "gives away a dead owner's workflow even when it is not due: it may have died in mid-run",
    run: async (context) => {
      const { store, clock } = context;
      const owner = await dueWorkflow(context, "orders");
      await openHosts(store, "host-1");
      const { epoch } = only((await store.claim("host-1", 10)).claims);
      expect(await owner.commit({ epoch, dueAt: null })).toMatchObject({ kind: "committed" });
      expect(await store.nextDueAt()).toBe(null);
      clock.advance(leaseMs + 1);
      await openHosts(store, "host-2");
      expect(await store.nextDueAt()).toBeLessThanOrEqual(clock.now());
      const second = only((await store.claim("host-2", 10)).claims);
      expect(second).toEqual({ workflow: "orders", epoch: epoch + 1, unclean: true });
    },
  },
  {
    name: "gives a workflow to another host when the lease has run out, and says it was unclean",
    run: async (context) => {
      const { store, clock } = context;
      const owner = await dueWorkflow(context, "orders");
      await openHosts(store, "host-1");
      const first = only((await store.claim("host-1", 10)).claims);
      clock.advance(leaseMs + 1);
      await openHosts(store, "host-2");
      const second = only((await store.claim("host-2", 10)).claims);
      expect(second).toEqual({ workflow: "orders", epoch: first.epoch + 1, unclean: true });
      expect(await owner.commit({ epoch: first.epoch })).toEqual({ kind: "lease_lost" });
      expect(await owner.commit({ epoch: second.epoch })).toMatchObject({ kind: "committed" });
    },
  },
  {
    name: "finds a workflow unclean and due until somebody commits, whoever gave it back meanwhile",
    run: async (context) => {
      const { store, clock } = context;
      const owner = await dueWorkflow(context, "orders");
      await openHosts(store, "host-1");
      const first = only((await store.claim("host-1", 10)).claims);
      await owner.commit({ epoch: first.epoch, dueAt: null });
      clock.advance(leaseMs + 1);
      await openHosts(store, "host-2", "host-3");
      const second = only((await store.claim("host-2", 10)).claims);
      await store.release("host-2", second);
      expect((await store.census()).waiting).toBe(1);
      expect(await store.nextDueAt()).toBeLessThanOrEqual(clock.now());
      expect(only((await store.claim("host-2", 10)).claims)).toMatchObject({ unclean: true });
      await store.closeHost("host-2");
      const last = only((await store.claim("host-3", 10)).claims);
      expect(last).toEqual({ workflow: "orders", epoch: first.epoch + 3, unclean: true });
      const nothing = { epoch: last.epoch, facts: [], dueAt: null };
      expect(await owner.commit(nothing)).toMatchObject({ kind: "committed" });
      await store.release("host-3", last);
      expect(await store.nextDueAt()).toBe(null);
      expect(await claimed(store, "host-3")).toEqual([]);
      await owner.persistChange({ epoch: last.epoch, dueAt: clock.now() });
      expect(only((await store.claim("host-3", 10)).claims)).toMatchObject({ unclean: false });
    },
  },
  {
    name: "counts the lease from the last heartbeat",
    run: async (context) => {
      const { store, clock } = context;
      await dueWorkflow(context, "orders");
      await openHosts(store, "host-1");
      expect(await claimed(store, "host-1")).toEqual(["orders"]);
      clock.advance(leaseMs - 1);
      expect(await store.heartbeat("host-1")).toBe(true);
      clock.advance(leaseMs - 1);
      await openHosts(store, "host-2");
      expect(await claimed(store, "host-2")).toEqual([]);
      clock.advance(2);
      expect(await claimed(store, "host-2")).toEqual(["orders"]);
    },
  },
  {
    name: "tells a host whose lease ran out that it is over, and stays with it",
    run: async ({ store, clock }) => {
      await openHosts(store, "host-1");
      expect(await store.heartbeat("host-1")).toBe(true);
      clock.advance(leaseMs + 1);
      expect(await store.heartbeat("host-1")).toBe(false);
      expect(await store.heartbeat("host-1")).toBe(false);
      expect(await store.heartbeat("nobody")).toBe(false);
    },
  },
  {
    name: "releases everything of a host that closes, at once and clean",
    run: async (context) => {
      const { store } = context;
      await dueWorkflow(context, "a", 2);
      await dueWorkflow(context, "b", 1);
      await openHosts(store, "host-1", "host-2");
      expect(await claimed(store, "host-1")).toEqual(["a", "b"]);
      await store.closeHost("host-1");
      const { claims } = await store.claim("host-2", 10);
      expect(claims).toMatchObject([
        { workflow: "a", unclean: false },
        { workflow: "b", unclean: false },
      ]);
      expect(await store.heartbeat("host-1")).toBe(false);
      expect(await claimed(store, "host-1")).toEqual([]);
    },
  },
  {
    name: "does nothing when a release comes after the workflow was claimed anew",
    run: async (context) => {
      const { store } = context;
      await dueWorkflow(context, "orders");
      await openHosts(store, "host-1", "host-2");
      const first = only((await store.claim("host-1", 10)).claims);
      await store.release("host-1", first);
      const second = only((await store.claim("host-1", 10)).claims);
      await store.release("host-1", first);
      expect(await claimed(store, "host-2")).toEqual([]);
      await store.release("host-1", second);
      expect(await claimed(store, "host-2")).toEqual(["orders"]);
    },
  },
  {
    name: "does nothing when a host releases what it does not own",
    run: async (context) => {
      const { store } = context;
      const owner = await dueWorkflow(context, "orders");
      await openHosts(store, "host-1", "host-2");
      const { epoch } = only((await store.claim("host-1", 10)).claims);
      await release(store, "host-2", "orders");
      await release(store, "nobody", "orders");
      await store.closeHost("host-2");
      expect(await store.listWorkflows(null, 1)).toMatchObject([{ owner: "host-1", epoch }]);
      await openHosts(store, "host-3");
      expect(await claimed(store, "host-3")).toEqual([]);
      expect(await owner.commit({ epoch })).toMatchObject({ kind: "committed" });
    },
  },
  {
    name: "does nothing when a host that was taken over releases late",
    run: async (context) => {
      const { store, clock } = context;
      await dueWorkflow(context, "orders");
      await openHosts(store, "host-1");
      await store.claim("host-1", 10);
      clock.advance(leaseMs + 1);
      await openHosts(store, "host-2", "host-3");
      expect(await claimed(store, "host-2")).toEqual(["orders"]);
      await release(store, "host-1", "orders");
      await store.closeHost("host-1");
      expect(await claimed(store, "host-3")).toEqual([]);
    },
  },
  {
    name: "keeps epochs and owners when it is opened again, and finds them unclean",
    needsReopen: true,
    run: async (context) => {
      const { store, clock, reopen } = context;
      await dueWorkflow(context, "orders");
      await openHosts(store, "host-1");
      const { epoch } = only((await store.claim("host-1", 10)).claims);
      const again = await reopen();
      clock.advance(leaseMs + 1);
      await openHosts(again, "host-2");
      expect((await again.claim("host-2", 10)).claims).toEqual([
        { workflow: "orders", epoch: epoch + 1, unclean: true },
      ]);
    },
  },
];

export const leaseCases: readonly StoreCase[] = [...claimCases, ...expiryCases];
