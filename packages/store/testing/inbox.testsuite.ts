import { type Command, insertRow, type Store, updateRow } from "@holdfast/core";
import { expect } from "vitest";
import { Owner } from "./change-builder.ts";
import { expectHostError } from "./expectation.ts";
import { verdictRow, workflowRow } from "./row-builder.ts";
import { type StoreCase, startOfTime } from "./store-case.ts";

export function command(commandId: string, set: Partial<Command> = {}): Command {
  return {
    commandId,
    workflow: "orders",
    actor: "ada",
    kind: "pause",
    body: Uint8Array.from([1, 2, 3]),
    at: startOfTime,
    ...set,
  };
}

async function ownerWithRow(store: Store): Promise<Owner> {
  const owner = await Owner.create(store);
  await owner.persist(insertRow("workflows", workflowRow()));
  return owner;
}

/** What the owner commits when it has answered a command. */
function answered(commandId: string, position: number) {
  return [
    insertRow("verdicts", verdictRow(commandId, { position })),
    updateRow("workflows", [], { inboxThrough: position }),
  ];
}

async function waiting(store: Store, limit = 100): Promise<readonly string[]> {
  return (await store.readInbox("orders", limit)).map((entry) => entry.commandId);
}

export const inboxCases: readonly StoreCase[] = [
  {
    name: "gives commands back in the order they came, as they came [R158]",
    run: async ({ store }) => {
      await ownerWithRow(store);
      const commands = [command("z"), command("a", { body: new Uint8Array() }), command("m")];
      const positions: number[] = [];
      for (const entry of commands) {
        const receipt = await store.appendCommand(entry);
        expect(receipt).toMatchObject({ duplicate: false, verdict: null });
        positions.push(receipt.position);
      }
      expect(positions).toEqual(positions.toSorted((a, b) => a - b));
      expect(new Set(positions).size).toBe(3);
      expect(await store.readInbox("orders", 10)).toEqual(
        commands.map((entry, index) => ({ ...entry, position: positions[index] })),
      );
    },
  },
  {
    name: "takes commands before the workflow has its first fact",
    run: async ({ store }) => {
      await store.createWorkflow("orders");
      const { position } = await store.appendCommand(command("c-1"));
      expect(position).toBeGreaterThan(0);
      expect(await waiting(store)).toEqual(["c-1"]);
    },
  },
  {
    name: "reads no more than the limit, the first ones first",
    run: async ({ store }) => {
      await ownerWithRow(store);
      for (const id of ["a", "b", "c"]) await store.appendCommand(command(id));
      expect(await waiting(store, 2)).toEqual(["a", "b"]);
    },
  },
  {
    name: "takes the same command twice as one [R158]",
    run: async ({ store }) => {
      await ownerWithRow(store);
      const first = await store.appendCommand(command("c-1"));
      await store.appendCommand(command("c-2"));
      const again = await store.appendCommand(command("c-1", { at: startOfTime + 5 }));
      expect(again).toEqual({ position: first.position, duplicate: true, verdict: null });
      expect(await waiting(store)).toEqual(["c-1", "c-2"]);
    },
  },
  {
    name: "takes one command sent many times at once as one [R158]",
    run: async ({ store }) => {
      await ownerWithRow(store);
      const receipts = await Promise.all(
        Array.from({ length: 10 }, () => store.appendCommand(command("c-1"))),
      );
      expect(receipts.filter((receipt) => !receipt.duplicate)).toHaveLength(1);
      expect(new Set(receipts.map((receipt) => receipt.position)).size).toBe(1);
      expect(await waiting(store)).toEqual(["c-1"]);
    },
  },
  {
    name: "refuses an id that comes again with another body or kind [R158]",
    run: async ({ store }) => {
      await ownerWithRow(store);
      await store.appendCommand(command("c-1"));
      for (const other of [
        command("c-1", { body: Uint8Array.from([1, 2]) }),
        command("c-1", { body: Uint8Array.from([1, 2, 4]) }),
        command("c-1", { kind: "resume" }),
      ]) {
        await expectHostError(() => store.appendCommand(other), "COMMAND_ID_REUSED");
      }
      expect(await waiting(store)).toEqual(["c-1"]);
    },
  },
  {
    name: "refuses a heading that could not be recorded, and takes nothing in",
    run: async ({ store }) => {
      await ownerWithRow(store);
      // U+FFFD is what broken text turns into: the two ids must not become one.
      await store.appendCommand(command("c-\uFFFD"));
      const broken = ["", "c-\uD800", "c-\u0000", "x".repeat(513)];
      for (const text of broken) {
        for (const envelope of [
          { commandId: text },
          { workflow: text },
          { actor: text },
          { kind: text },
        ]) {
          const given = command("c-1", envelope);
          await expectHostError(() => store.appendCommand(given), "COMMAND_MALFORMED");
        }
      }
      for (const at of [1.5, Number.NaN, 2 ** 53]) {
        const given = command("c-1", { at });
        await expectHostError(() => store.appendCommand(given), "COMMAND_MALFORMED");
      }
      expect(await waiting(store)).toEqual(["c-\uFFFD"]);
    },
  },
  {
    name: "keeps the inboxes of two workflows apart, ids included",
    run: async ({ store }) => {
      await ownerWithRow(store);
      await store.createWorkflow("other");
      await store.appendCommand(command("c-1"));
      const elsewhere = command("c-1", { workflow: "other", body: new Uint8Array() });
      expect(await store.appendCommand(elsewhere)).toMatchObject({ duplicate: false });
      expect(await waiting(store)).toEqual(["c-1"]);
      expect(await store.readInbox("other", 10)).toMatchObject([{ workflow: "other" }]);
    },
  },
  {
    name: "gives only commands after inboxThrough [R158]",
    run: async ({ store }) => {
      const owner = await ownerWithRow(store);
      const first = await store.appendCommand(command("c-1"));
      const second = await store.appendCommand(command("c-2"));
      await store.appendCommand(command("c-3"));
      await owner.persist(...answered("c-1", first.position));
      expect(await waiting(store)).toEqual(["c-2", "c-3"]);
      await owner.persist(...answered("c-2", second.position));
      expect(await waiting(store)).toEqual(["c-3"]);
    },
  },
  {
    name: "keeps inboxThrough where it was when the change that moves it misses",
    run: async ({ store }) => {
      const owner = await ownerWithRow(store);
      const { position } = await store.appendCommand(command("c-1"));
      await owner.commit({ epoch: 99, rows: answered("c-1", position) });
      expect(await waiting(store)).toEqual(["c-1"]);
      expect(await store.findVerdict("orders", "c-1")).toBeNull();
    },
  },
  {
    name: "finds the verdict of an answered command, for a waiting or repeated caller [R158]",
    run: async ({ store }) => {
      const owner = await ownerWithRow(store);
      const { position } = await store.appendCommand(command("c-1"));
      expect(await store.findVerdict("orders", "c-1")).toBeNull();
      await owner.persist(...answered("c-1", position));
      const verdict = verdictRow("c-1", { position });
      expect(await store.findVerdict("orders", "c-1")).toEqual(verdict);
      expect(await store.appendCommand(command("c-1"))).toEqual({
        position,
        duplicate: true,
        verdict,
      });
      expect(await waiting(store)).toEqual([]);
      expect(await store.findVerdict("orders", "c-2")).toBeNull();
    },
  },
  {
    name: "is not changed by a caller who changes the bytes of a command it gave or got",
    run: async ({ store }) => {
      await ownerWithRow(store);
      const given = command("c-1", { body: Buffer.from([1, 2, 3]) });
      await store.appendCommand(given);
      given.body.fill(0);
      const [got] = await store.readInbox("orders", 1);
      expect(got?.body).toEqual(Uint8Array.from([1, 2, 3]));
      got?.body.fill(0);
      const [again] = await store.readInbox("orders", 1);
      expect(again?.body).toEqual(Uint8Array.from([1, 2, 3]));
    },
  },
  {
    name: "has every acknowledged command after it is opened again [R158]",
    needsReopen: true,
    run: async ({ store, reopen }) => {
      const owner = await ownerWithRow(store);
      const first = await store.appendCommand(command("c-1"));
      await store.appendCommand(command("c-2"));
      await owner.persist(...answered("c-1", first.position));
      const again = await reopen();
      expect(await waiting(again)).toEqual(["c-2"]);
      expect(await again.appendCommand(command("c-1"))).toMatchObject({ duplicate: true });
      const third = await again.appendCommand(command("c-3"));
      expect(third.position).toBeGreaterThan(first.position);
      expect(await waiting(again)).toEqual(["c-2", "c-3"]);
    },
  },
];
