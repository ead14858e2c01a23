import { verify } from "@holdfast/host";
import { expect, test } from "vitest";
import { ask, prepareScript, publishOrder, soon, startEngine } from "./engine-in-test.ts";
import { openStores } from "./open-stores.ts";
import { sandboxOfFile } from "./order-shop.ts";
import { ScriptedWorld } from "./scripted-world.ts";

const sandbox = sandboxOfFile();

test.each(Object.entries(openStores))(
  "[R138] engines that are stopped and started book every order once, on %s",
  async (_, open) => {
    const store = await open(() => Date.now());
    const world = new ScriptedWorld({ shop: { bookOrder: { kind: "mutation" } } });
    const deployed = await prepareScript(sandbox(), world);
    const workflows = ["east", "west"];
    for (const workflow of workflows) {
      await store.createWorkflow(workflow);
      await ask(store, workflow, "activate_version", deployed.activation);
    }
    let engine = await startEngine(store, world, deployed);
    for (let order = 0; order < 12; order++) {
      for (const workflow of workflows) {
        await publishOrder(store, workflow, `o-${order}`);
      }
      if (order % 5 !== 4) continue;
      await soon(() => world.sent.length > 0);
      await engine.stop();
      engine = await startEngine(store, world, deployed);
    }
    await soon(() => world.sent.length >= 24 && engine.isIdle);
    await engine.stop();
    const ids = world.sent.map(({ params }) => params["id"]);
    expect(new Set(ids).size).toBe(24);
    expect(ids).toHaveLength(24);
    const reports = await verify(store, { full: true });
    expect(reports.flatMap(({ problems }) => problems)).toEqual([]);
  },
  120_000,
);
