import { Sandbox } from "@holdfast/sandbox";
import { expect, onTestFinished, test } from "vitest";
import { ask, prepareScript, publishOrder, soon, startEngine } from "./engine-in-test.ts";
import { openStores } from "./open-stores.ts";
import { ScriptedWorld } from "./scripted-world.ts";

const orderCount = 120;
const comesAfter = 5;

test.each(Object.entries(openStores))(
  "[R143] one workflow's many events leave another its turn, in one thread, on %s",
  async (_, open) => {
    const sandbox = await Sandbox.open({ threadsMax: 1 });
    onTestFinished(() => sandbox.close());
    const store = await open(() => Date.now());
    const world = new ScriptedWorld({
      shop: {
        bookOrder: {
          kind: "mutation",
          answer: async () => {
            if (world.sent.length === comesAfter) await publishOrder(store, "little", "one");
            return {};
          },
        },
      },
    });
    const deployed = await prepareScript(sandbox, world);
    for (const workflow of ["much", "little"]) {
      await store.createWorkflow(workflow);
      await ask(store, workflow, "activate_version", deployed.activation);
    }
    for (let no = 0; no < orderCount; no++) await publishOrder(store, "much", String(no));
    const engine = await startEngine(store, world, deployed);
    await soon(() => world.sent.length === orderCount + 1);
    await engine.stop();
    const place = world.sent.findIndex(({ params }) => params["id"] === "little-one");
    // Not behind what the other still had to do; what it did meanwhile is its own turns.
    expect(place).toBeGreaterThanOrEqual(comesAfter);
    expect(place).toBeLessThan(orderCount / 2);
  },
);
