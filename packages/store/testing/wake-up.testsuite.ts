import { insertRow, type Store, updateRow } from "@holdfast/core";
import { expect } from "vitest";
import { Owner } from "./change-builder.ts";
import { command } from "./inbox.testsuite.ts";
import { claimed, dueWorkflow, leaseMs, openHosts, release } from "./lease.testsuite.ts";
import { verdictRow, workflowRow } from "./row-builder.ts";
import type { StoreCase } from "./store-case.ts";

/** An idle workflow that nobody owns, with its row, waiting for nothing. */
async function idleWorkflow(store: Store, workflow = "orders"): Promise<Owner> {
  const owner = await Owner.create(store, workflow);
  await owner.persist(insertRow("workflows", workflowRow({ name: workflow })));
  return owner;
}

function answer(commandId: string, position: number) {
  return [
    insertRow("verdicts", verdictRow(commandId, { position })),
    updateRow("workflows", [], { inboxThrough: position }),
  ];
}

const inboxWakes: readonly StoreCase[] = [
  {
    name: "a command makes an idle workflow due",
    run: async ({ store, clock }) => {
      await idleWorkflow(store);
      await openHosts(store, "host-1");
      expect(await claimed(store, "host-1")).toEqual([]);
      expect(await store.nextDueAt()).toBeNull();
      await store.appendCommand(command("c-1"));
      expect(await store.nextDueAt()).toBeLessThanOrEqual(clock.now());
      expect(await claimed(store, "host-1")).toEqual(["orders"]);
    },
  },
  {
    name: "a command makes a new workflow due before its first fact",
    run: async ({ store }) => {
      await store.createWorkflow("orders");
      await openHosts(store, "host-1");
      await store.appendCommand(command("c-1"));
      expect(await claimed(store, "host-1")).toEqual(["orders"]);
    },
  },
  {
    name: "a command makes a workflow due that is only due later",
    run: async (context) => {
      const { store, clock } = context;
      await dueWorkflow(context, "orders", -60_000);
      await openHosts(store, "host-1");
      await store.appendCommand(command("c-1"));
      expect(await store.nextDueAt()).toBeLessThanOrEqual(clock.now());
      expect(await claimed(store, "host-1")).toEqual(["orders"]);
    },
  },
  {
    name: "a command of a sender whose clock is ahead makes the workflow due at once",
    run: async ({ store, clock }) => {
      await idleWorkflow(store);
      await store.appendCommand(command("c-1", { at: clock.now() + 60_000 }));
      await openHosts(store, "host-1");
      expect(await store.nextDueAt()).toBeLessThanOrEqual(clock.now());
      expect(await claimed(store, "host-1")).toEqual(["orders"]);
    },
  },
  {
    name: "a command that comes before a commit with a later due time still wakes the workflow",
    run: async ({ store, clock }) => {
      const owner = await idleWorkflow(store);
      await openHosts(store, "host-1");
      await store.appendCommand(command("c-1"));
      await owner.persistChange({ dueAt: clock.now() + 60_000 });
      expect(await store.nextDueAt()).toBeLessThanOrEqual(clock.now());
      expect(await claimed(store, "host-1")).toEqual(["orders"]);
    },
  },
  {
    name: "a command that comes before a commit with no due time still wakes the workflow",
    run: async ({ store }) => {
      const owner = await idleWorkflow(store);
      await openHosts(store, "host-1");
      await store.appendCommand(command("c-1"));
      await owner.persistChange({ dueAt: null });
      expect(await claimed(store, "host-1")).toEqual(["orders"]);
    },
  },
  {
    name: "a command that races with the owner's last commit is never lost",
    run: async ({ store, clock }) => {
      for (let round = 0; round < 20; round++) {
        const workflow = `w-${round}`;
        const owner = await idleWorkflow(store, workflow);
        const commit = () => store.commit([owner.change({ dueAt: clock.now() + 60_000 })]);
        const append = () => store.appendCommand(command("c-1", { workflow }));
        await Promise.all(round % 2 === 0 ? [commit(), append()] : [append(), commit()]);
      }
      await openHosts(store, "host-1");
      expect(await claimed(store, "host-1")).toHaveLength(20);
    },
  },
  {
    name: "a command that comes while an earlier one is answered still wakes the workflow",
    run: async ({ store, clock }) => {
      const owner = await idleWorkflow(store);
      const first = await store.appendCommand(command("c-1"));
      await store.appendCommand(command("c-2"));
      await owner.persistChange({
        rows: answer("c-1", first.position),
        dueAt: clock.now() + 60_000,
      });
      await openHosts(store, "host-1");
      expect(await claimed(store, "host-1")).toEqual(["orders"]);
    },
  },
  {
    name: "an answered command wakes nothing any more",
    run: async ({ store, clock }) => {
      const owner = await idleWorkflow(store);
      const { position } = await store.appendCommand(command("c-1"));
      await owner.persistChange({ rows: answer("c-1", position) });
      await openHosts(store, "host-1");
      expect(await store.nextDueAt()).toBeNull();
      expect(await claimed(store, "host-1")).toEqual([]);
      const later = clock.now() + 50;
      await owner.persistChange({ dueAt: later });
      expect(await store.nextDueAt()).toBe(later);
      expect(await claimed(store, "host-1")).toEqual([]);
    },
  },
  {
    name: "a command sent again after its answer wakes nothing",
    run: async ({ store }) => {
      const owner = await idleWorkflow(store);
      const { position } = await store.appendCommand(command("c-1"));
      await owner.persistChange({ rows: answer("c-1", position) });
      await store.appendCommand(command("c-1"));
      await openHosts(store, "host-1");
      expect(await claimed(store, "host-1")).toEqual([]);
    },
  },
  {
    name: "commands are served in the order they came in, whatever their senders' clocks say",
    run: async ({ store, clock }) => {
      const senders = [
        ["b", 60_000],
        ["c", -60_000],
        ["a", 0],
      ] as const;
      for (const [workflow, ahead] of senders) {
        await idleWorkflow(store, workflow);
        await store.appendCommand(command("c-1", { workflow, at: clock.now() + ahead }));
        clock.advance(10);
      }
      await openHosts(store, "host-1");
      expect(await store.nextDueAt()).toBe(clock.now() - 30);
      expect(await claimed(store, "host-1", 1)).toEqual(["b"]);
      expect(await claimed(store, "host-1")).toEqual(["c", "a"]);
    },
  },
  {
    name: "a command still wakes its workflow after the store's clock was set back",
    run: async ({ store, clock }) => {
      await idleWorkflow(store);
      await store.appendCommand(command("c-1"));
      clock.advance(-60_000);
      await openHosts(store, "host-1");
      expect(await store.nextDueAt()).toBe(clock.now());
      expect(await claimed(store, "host-1")).toEqual(["orders"]);
    },
  },
  {
    name: "what fell due at the same time is claimed by name, whatever made it due",
    run: async (context) => {
      const { store, clock } = context;
      for (const workflow of ["d", "b"]) await dueWorkflow(context, workflow);
      for (const workflow of ["c", "a"]) {
        await idleWorkflow(store, workflow);
        await store.appendCommand(command("c-1", { workflow, at: clock.now() }));
      }
      await openHosts(store, "host-1");
      expect(await claimed(store, "host-1")).toEqual(["a", "b", "c", "d"]);
    },
  },
  {
    name: "a command that waits is served before work that fell due after it",
    run: async (context) => {
      const { store, clock } = context;
      await idleWorkflow(store, "asked");
      await store.appendCommand(command("c-1", { workflow: "asked", at: clock.now() }));
      clock.advance(10);
      await dueWorkflow(context, "due", 5);
      await dueWorkflow(context, "long-due", 50);
      await openHosts(store, "host-1");
      expect(await claimed(store, "host-1")).toEqual(["long-due", "asked", "due"]);
    },
  },
];

const nextDueCases: readonly StoreCase[] = [
  {
    name: "tells when the next workflow nobody owns is due",
    run: async (context) => {
      const { store, clock } = context;
      expect(await store.nextDueAt()).toBeNull();
      const start = clock.now();
      await dueWorkflow(context, "later", -90);
      await dueWorkflow(context, "sooner", -30);
      expect(await store.nextDueAt()).toBe(start + 30);
      clock.advance(30);
      await openHosts(store, "host-1");
      expect(await claimed(store, "host-1")).toEqual(["sooner"]);
      expect(await store.nextDueAt()).toBe(start + 90);
      await release(store, "host-1", "sooner");
      expect(await store.nextDueAt()).toBe(start + 30);
    },
  },
  {
    name: "counts a workflow as unowned once its owner's lease has run out",
    run: async (context) => {
      const { store, clock } = context;
      const start = clock.now();
      await dueWorkflow(context, "orders");
      await openHosts(store, "host-1");
      await store.claim("host-1", 1);
      expect(await store.nextDueAt()).toBeNull();
      clock.advance(leaseMs + 1);
      expect(await store.nextDueAt()).toBe(start);
    },
  },
  {
    name: "takes the due time of the last commit that landed, and of no other",
    run: async ({ store, clock }) => {
      const owner = await idleWorkflow(store);
      const dueAt = clock.now() + 500;
      await owner.persistChange({ dueAt: clock.now() });
      await owner.persistChange({ dueAt });
      await owner.commit({ dueAt: clock.now(), epoch: 99 });
      await owner.commit({ dueAt: clock.now(), onHead: { seq: 0, hash: owner.head.hash } });
      expect(await store.nextDueAt()).toBe(dueAt);
      await owner.persistChange({ dueAt: null });
      expect(await store.nextDueAt()).toBeNull();
    },
  },
  {
    name: "still wakes for a waiting command after it is opened again",
    needsReopen: true,
    run: async ({ store, reopen }) => {
      const owner = await idleWorkflow(store);
      await store.appendCommand(command("c-1"));
      await owner.persistChange({ dueAt: null });
      const again = await reopen();
      await openHosts(again, "host-1");
      expect(await claimed(again, "host-1")).toEqual(["orders"]);
    },
  },
];

export const wakeUpCases: readonly StoreCase[] = [...inboxWakes, ...nextDueCases];
