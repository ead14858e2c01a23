import { genesisHash, type Store } from "@holdfast/core";
import { expect } from "vitest";
import { Owner } from "./change-builder.ts";
import { expectHostError } from "./expectation.ts";
import type { StoreCase } from "./store-case.ts";

function firstRun(workflow: string) {
  return { workflow, list: "runs", of: [], after: null, downTo: null, limit: 1 } as const;
}

/** Every method of the port, called with something harmless. */
function everyCall(store: Store, owner: Owner): Readonly<Record<string, () => Promise<unknown>>> {
  const { workflow } = owner;
  const command = {
    commandId: "c",
    workflow,
    actor: "ada",
    kind: "pause",
    body: new Uint8Array(),
    at: 0,
  };
  return {
    createWorkflow: () => store.createWorkflow(workflow),
    commit: () => store.commit([owner.change()]),
    load: () => store.load(workflow, []),
    peek: () => store.peek(workflow, "orders", 1),
    loadBlob: () => store.loadBlob(workflow, genesisHash),
    loadParts: () => store.loadParts(workflow, [genesisHash]),
    listParts: () => store.listParts(workflow, null, 1),
    sweepParts: () => store.sweepParts(workflow, [genesisHash], 1),
    appendCommand: () => store.appendCommand(command),
    readInbox: () => store.readInbox(workflow, 1),
    findVerdict: () => store.findVerdict(workflow, "c"),
    turnStoreBrake: () => store.turnStoreBrake({ isOn: true, reason: "", key: "k", command }),
    tellOfStoreBrake: () => store.tellOfStoreBrake(workflow),
    findStoreBrake: () => store.findStoreBrake(),
    openHost: () => store.openHost({ incarnation: "h", leaseMs: 1000 }),
    heartbeat: () => store.heartbeat("h"),
    closeHost: () => store.closeHost("h"),
    claim: () => store.claim("h", 1),
    claimOne: () => store.claimOne("h", workflow),
    release: () => store.release("h", { workflow, epoch: 1 }),
    nextDueAt: () => store.nextDueAt(),
    census: () => store.census(),
    watch: async () => store.watch(() => {}),
    readJournal: () => store.readJournal(workflow, 0, 1),
    readTraces: () => store.readTraces(workflow, 0, 1),
    pruneTraces: () => store.pruneTraces(1, 1),
    listWorkflows: () => store.listWorkflows(null, 1),
    readChanges: () => store.readChanges(null),
    listAttentions: () => store.listAttentions({ workflow, isOpen: null, after: null, limit: 1 }),
    listAwaiting: () => store.listAwaiting("http", null, 1),
    listRows: () => store.listRows(firstRun(workflow)),
    countRows: () => store.countRows(firstRun(workflow)),
    scan: async () => {
      for await (const _ of store.scan(workflow, "events")) break;
    },
  };
}

export const lifetimeCases: readonly StoreCase[] = [
  {
    name: "creates a workflow once, with an empty journal",
    run: async ({ store }) => {
      expect(await store.createWorkflow("orders")).toEqual({ created: true });
      const loaded = await store.load("orders", [{ kind: "base" }]);
      expect(loaded.head).toMatchObject({ seq: 0, hash: genesisHash });
      expect(loaded.rows).toEqual([]);
      expect(await store.readJournal("orders", 0, 10)).toEqual([]);
      expect(await store.createWorkflow("orders")).toEqual({ created: false });
    },
  },
  {
    name: "creating a workflow that is there changes nothing of it",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      await owner.persistChange({ dueAt: 5 });
      const [before] = await store.listWorkflows(null, 10);
      expect(await store.createWorkflow("orders")).toEqual({ created: false });
      expect(await store.listWorkflows(null, 10)).toEqual([before]);
    },
  },
  {
    name: "refuses to create a workflow that no command could name",
    run: async ({ store }) => {
      await store.createWorkflow("\uFFFD");
      for (const workflow of ["", "\uD800", "a\u0000b", "x".repeat(513)]) {
        await expectHostError(() => store.createWorkflow(workflow), "COMMAND_MALFORMED");
      }
      const all = await store.listWorkflows(null, 10);
      expect(all.map((entry) => entry.workflow)).toEqual(["\uFFFD"]);
    },
  },
  {
    name: "names its incarnation",
    run: async ({ store }) => {
      expect(store.storeIncarnation).toMatch(/./);
    },
  },
  {
    name: "keeps its incarnation when it is opened again",
    needsReopen: true,
    run: async ({ store, reopen }) => {
      const before = store.storeIncarnation;
      const again = await reopen();
      expect(again.storeIncarnation).toBe(before);
    },
  },
  {
    name: "refuses every call after close with STORE_CLOSED",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      const calls = everyCall(store, owner);
      await store.close();
      for (const [name, call] of Object.entries(calls)) {
        await expectHostError(call, "STORE_CLOSED", name);
      }
    },
  },
  {
    name: "can be closed twice",
    run: async ({ store }) => {
      await store.close();
      await store.close();
    },
  },
  {
    name: "says WORKFLOW_UNKNOWN for a workflow nobody created",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      const stranger = await Owner.of(store, owner.workflow);
      Object.assign(stranger, { workflow: "nobody" });
      const calls = everyCall(store, stranger);
      const names = ["load", "peek", "loadBlob", "appendCommand", "readInbox", "findVerdict"];
      for (const name of [...names, "readJournal", "readTraces", "scan"]) {
        const call = calls[name];
        if (call === undefined) throw new Error(`no call ${name}`);
        await expectHostError(call, "WORKFLOW_UNKNOWN", name);
      }
    },
  },
  {
    name: "answers lease_lost to a change of a workflow nobody created, and commits the others",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      const lost = { ...owner.change(), workflow: "nobody" };
      const answers = await store.commit([lost, owner.change()]);
      expect(answers).toEqual([{ kind: "lease_lost" }, { kind: "committed", head: 1 }]);
    },
  },
  {
    name: "lists workflows by name, page by page",
    run: async ({ store }) => {
      for (const name of ["b", "a", "C", "é", "\u{1F600}", "\uFF5E"])
        await store.createWorkflow(name);
      const all = await store.listWorkflows(null, 100);
      // Order of Unicode code points, which is also the order of the UTF-8 bytes.
      expect(all.map((entry) => entry.workflow)).toEqual([
        "C",
        "a",
        "b",
        "é",
        "\uFF5E",
        "\u{1F600}",
      ]);
      const page = await store.listWorkflows("a", 2);
      expect(page.map((entry) => entry.workflow)).toEqual(["b", "é"]);
      expect(await store.listWorkflows("\u{1F600}", 2)).toEqual([]);
    },
  },
  {
    name: "sums a workflow up with head, epoch, owner, due time, fact version and inbox",
    run: async ({ store, clock }) => {
      const owner = await Owner.create(store);
      await owner.persistChange({ dueAt: clock.now(), at: 77 });
      await store.openHost({ incarnation: "host-1", leaseMs: 1000 });
      const { claims } = await store.claim("host-1", 1);
      const command = { commandId: "c", workflow: "orders", actor: "ada", kind: "pause", at: 0 };
      for (const commandId of ["c-1", "c-2", "c-1"]) {
        await store.appendCommand({ ...command, commandId, body: new Uint8Array() });
      }
      await Owner.create(store, "quiet");
      expect(await store.listWorkflows(null, 10)).toEqual([
        {
          workflow: "orders",
          head: { ...owner.head, at: 77 },
          epoch: claims[0]?.epoch,
          owner: "host-1",
          dueAt: clock.now(),
          factVersion: 1,
          inboxTail: 2,
        },
        expect.objectContaining({ workflow: "quiet", inboxTail: 0 }),
      ]);
    },
  },
];
