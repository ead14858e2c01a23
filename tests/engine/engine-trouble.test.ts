import { HostError, type Store } from "@holdfast/core";
import { expect, test } from "vitest";
import { ask, prepareScript, publishOrder, soon, startEngine } from "./engine-in-test.ts";
import { unreachable } from "./failing-way.ts";
import { openStores } from "./open-stores.ts";
import { sandboxOfFile } from "./order-shop.ts";
import { ScriptedWorld } from "./scripted-world.ts";

const sandbox = sandboxOfFile();
const workflows = ["east", "west"];

/** Two workflows with an order each, and what was booked. */
async function twoWorkflows() {
  const store = await openStores.SQLite(() => Date.now());
  const world = new ScriptedWorld({ shop: { bookOrder: { kind: "mutation" } } });
  const deployed = await prepareScript(sandbox(), world);
  for (const workflow of workflows) {
    await store.createWorkflow(workflow);
    await ask(store, workflow, "activate_version", deployed.activation);
    await publishOrder(store, workflow, "1");
  }
  const booked = () => world.sent.map(({ params }) => params["id"]);
  return { store, world, deployed, booked };
}

/** The store, of which one workflow cannot be loaded as long as there is something to throw. */
function withoutEast(store: Store, thrown: () => Error | null): Store {
  return new Proxy(store, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      if (name !== "load") return member.bind(target);
      return async (workflow: string, needs: Parameters<Store["load"]>[1]) => {
        const error = workflow === "east" ? thrown() : null;
        if (error !== null) throw error;
        return target.load(workflow, needs);
      };
    },
  });
}

test("[R56] a store that is away for one workflow is waited for, and said so", async () => {
  const { store, world, deployed, booked } = await twoWorkflows();
  let away = 4;
  const way = withoutEast(store, () => (away-- > 0 ? unreachable() : null));
  const troubles: unknown[] = [];
  const broken: string[] = [];
  const engine = await startEngine(way, world, deployed, {
    random: () => 0,
    observer: {
      onTrouble: ({ cause, ...trouble }) =>
        troubles.push({ ...trouble, code: cause instanceof HostError ? cause.code : cause }),
      onBroken: (workflow) => broken.push(workflow),
    },
  });
  await soon(() => booked().length === 2 && engine.isIdle);
  await engine.stop();
  expect(booked()).toEqual(["west-1", "east-1"]);
  expect(broken).toEqual([]);
  expect(troubles).toEqual(
    [50, 100, 200, 400].map((pauseMs, index) => ({
      doing: "work",
      workflow: "east",
      code: "STORE_UNREACHABLE",
      times: index + 1,
      pauseMs,
    })),
  );
});

test("[R56] an error that does not pass stops one workflow, loudly, and no other", async () => {
  const { store, world, deployed, booked } = await twoWorkflows();
  const corrupt = new HostError("JOURNAL_CORRUPT", { what: "Record 1.", remedy: "Restore it." });
  const way = withoutEast(store, () => corrupt);
  const broken: string[] = [];
  const engine = await startEngine(way, world, deployed, {
    observer: { onBroken: (workflow, note) => broken.push(`${workflow}: ${note}`) },
  });
  await soon(() => booked().length === 1 && broken.length === 1 && engine.isIdle);
  await publishOrder(store, "west", "2");
  await soon(() => booked().length === 2 && engine.isIdle);
  await expect(engine.stop()).rejects.toBe(corrupt);
  expect(booked()).toEqual(["west-1", "west-2"]);
  expect(broken).toEqual([expect.stringContaining("east: HostError: JOURNAL_CORRUPT")]);
});

test("[S62] a host that loses its lease while the store is away goes on with nothing", async () => {
  const { store, world, deployed, booked } = await twoWorkflows();
  let isAway = false;
  let callsAfterLoss = 0;
  let isLost = false;
  const way: Store = new Proxy(store, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      if (name === "watch") return member.bind(target);
      return async (...given: unknown[]) => {
        if (isLost) callsAfterLoss += 1;
        // The first booking is under way when the line breaks.
        isAway ||= booked().length > 0;
        if (isAway) throw unreachable();
        return member.apply(target, given);
      };
    },
  });
  const engine = await startEngine(way, world, deployed, {
    leaseMs: 1_000,
    capacity: 1,
    observer: {
      onLost: () => {
        isLost = true;
      },
    },
  });
  await soon(() => isLost && engine.isIdle);
  const first = booked();
  expect(first).toHaveLength(1);
  expect(callsAfterLoss).toBe(0);
  const successor = await startEngine(store, world, deployed);
  const asked = async () => {
    const { rows } = await store.load(String(first[0]).slice(0, 4), [{ kind: "base" }]);
    return rows.flatMap((each) => (each.table === "attentions" ? [each.row.kind] : []));
  };
  // What the first one knew is lost with it: a person is asked, and nothing is sent again.
  await expect.poll(asked).toEqual(["outcome_unknown"]);
  await soon(() => booked().length === 2 && successor.isIdle);
  await successor.stop();
  expect(booked()).toHaveLength(2);
});
