import type { Store, StoreBrakeTurn } from "@holdfast/core";
import { expect } from "vitest";
import { Owner } from "./change-builder.ts";
import { command } from "./inbox.testsuite.ts";
import { type StoreCase, startOfTime } from "./store-case.ts";

/** Every turn has a command of its own; the key is who asked. */
function turning(to: "on" | "off", commandId: string = to, key = commandId): StoreBrakeTurn {
  const { workflow: _, ...told } = command(commandId);
  return { isOn: to === "on", reason: `because ${commandId}`, key, command: told };
}

const setByOn = { setBy: "ada", setAt: startOfTime, reason: "because on" };

async function told(store: Store, workflow: string): Promise<readonly string[]> {
  return (await store.readInbox(workflow, 100)).map(({ commandId }) => commandId);
}

export const storeBrakeCases: readonly StoreCase[] = [
  {
    name: "has no brake on all sending until it is set, and none after it is released [R150]",
    run: async ({ store }) => {
      expect(await store.findStoreBrake()).toBeNull();
      await store.turnStoreBrake(turning("off"));
      expect(await store.findStoreBrake()).toBeNull();
      const turned = await store.turnStoreBrake(turning("on"));
      expect(turned).toEqual({ commandId: "on", changed: true });
      expect(await store.findStoreBrake()).toEqual(setByOn);
      await store.turnStoreBrake(turning("off", "off-2"));
      expect(await store.findStoreBrake()).toBeNull();
    },
  },
  {
    name: "tells a workflow of the last turn of the brake once, behind what came before [R150]",
    run: async ({ store }) => {
      await store.createWorkflow("a");
      await store.tellOfStoreBrake("a");
      expect(await told(store, "a")).toEqual([]);
      await store.appendCommand(command("first", { workflow: "a" }));
      await store.turnStoreBrake(turning("on"));
      for (let times = 0; times < 2; times += 1) await store.tellOfStoreBrake("a");
      expect(await told(store, "a")).toEqual(["first", "on"]);
      const [, entry] = await store.readInbox("a", 2);
      expect(entry).toEqual({ ...command("on", { workflow: "a" }), position: 2 });
      await store.turnStoreBrake(turning("off"));
      await store.tellOfStoreBrake("a");
      expect(await told(store, "a")).toEqual(["first", "on", "off"]);
    },
  },
  {
    name: "tells of the brake where the inbox was seen empty before, and makes it due [R150]",
    run: async ({ store }) => {
      await store.createWorkflow("a");
      expect(await told(store, "a")).toEqual([]);
      await store.turnStoreBrake(turning("on"));
      await store.tellOfStoreBrake("a");
      expect(await told(store, "a")).toEqual(["on"]);
      await store.openHost({ incarnation: "h", leaseMs: 1_000 });
      const { claims } = await store.claim("h", 10);
      expect(claims.map(({ workflow }) => workflow)).toEqual(["a"]);
    },
  },
  {
    name: "begins the inbox of a workflow that is created under the brake with its command [R150]",
    run: async ({ store }) => {
      await store.turnStoreBrake(turning("on"));
      await store.createWorkflow("a");
      await store.createWorkflow("a");
      await store.tellOfStoreBrake("a");
      await store.appendCommand(command("deploy", { workflow: "a" }));
      expect(await told(store, "a")).toEqual(["on", "deploy"]);
      await store.turnStoreBrake(turning("off"));
      await store.createWorkflow("b");
      expect(await told(store, "b")).toEqual([]);
    },
  },
  {
    name: "leaves no workflow untold that is made while the brake is set [R150]",
    run: async ({ store }) => {
      const names = Array.from({ length: 20 }, (_, index) => `w${index}`);
      const create = (name: string) => store.createWorkflow(name);
      await Promise.all([
        ...names.slice(0, 10).map(create),
        store.turnStoreBrake(turning("on")),
        ...names.slice(10).map(create),
      ]);
      const there = await store.listWorkflows(null, 100);
      await Promise.all(there.map(({ workflow }) => store.tellOfStoreBrake(workflow)));
      for (const name of names) expect(await told(store, name)).toEqual(["on"]);
    },
  },
  {
    name: "never tells of a turn of the brake after it has told of a later one [R150]",
    run: async ({ store }) => {
      await store.createWorkflow("a");
      const ids = Array.from({ length: 20 }, (_, index) => `t${index}`);
      await Promise.all(
        ids.flatMap((id, index) => [
          store.turnStoreBrake(turning(index % 2 === 0 ? "on" : "off", id)),
          store.tellOfStoreBrake("a"),
        ]),
      );
      await store.tellOfStoreBrake("a");
      const { commandId } = await store.turnStoreBrake(turning("on", "last"));
      await store.tellOfStoreBrake("a");
      expect((await told(store, "a")).at(-1)).toBe(commandId);
    },
  },
  {
    name: "keeps the first of two brakes on all sending [R150]",
    run: async ({ store }) => {
      await store.turnStoreBrake(turning("on"));
      const again = await store.turnStoreBrake(turning("on", "again"));
      expect(again).toEqual({ commandId: "on", changed: false });
      expect(await store.findStoreBrake()).toEqual(setByOn);
    },
  },
  {
    name: "takes the same turn of the brake on all sending twice as one [R150, R158]",
    run: async ({ store }) => {
      await store.turnStoreBrake(turning("on", "on", "k"));
      const same = await store.turnStoreBrake(turning("on", "again", "k"));
      expect(same).toEqual({ commandId: "on", changed: true });
      expect(await store.findStoreBrake()).toEqual(setByOn);
      await store.turnStoreBrake(turning("off", "off", "l"));
      const off = await store.turnStoreBrake(turning("off", "off-2", "l"));
      expect(off).toEqual({ commandId: "off", changed: true });
      // Asked for anew, because some may not have been told.
      const anew = await store.turnStoreBrake(turning("off", "off-3", "m"));
      expect(anew).toEqual({ commandId: "off-3", changed: true });
    },
  },
  {
    name: "has the brake on all sending after it was closed and opened again [R150]",
    needsReopen: true,
    run: async ({ store, reopen }) => {
      await Owner.create(store);
      await store.turnStoreBrake(turning("on"));
      const again = await reopen();
      expect(await again.findStoreBrake()).toEqual(setByOn);
      await again.createWorkflow("later");
      expect(await told(again, "later")).toEqual(["on"]);
    },
  },
];
