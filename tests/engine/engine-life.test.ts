import { randomUUID } from "node:crypto";
import {
  type CanonicalValue,
  encodeCanonical,
  type HostedScript,
  type Store,
} from "@holdfast/core";
import { Engine, realClock, realTimers, verify } from "@holdfast/host";
import { compileScript, declarationsOf, hostedScript, Sandbox, validate } from "@holdfast/sandbox";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openStores } from "./open-stores.ts";
import { ScriptedWorld } from "./scripted-world.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await Sandbox.open({ threadsMax: 2 });
});
afterAll(() => sandbox?.close());

const text = `
  import { workflow } from "@holdfast/sdk";
  export default workflow({
    name: "orders",
    connections: { shop: { connector: "http", account: "shop" } },
    topics: { orders: {} },
    producers: { poll: { manual: true, publishes: ["orders"], handler: async () => {} } },
    consumers: {
      book: {
        subscribe: ["orders"],
        prepare: async (ctx) => {
          const [event] = await ctx.peek("orders", { limit: 1 });
          if (!event) return { reservations: [], data: {} };
          const ui = { title: "Book " + event.messageId };
          const reservations = [{ topic: "orders", ids: [event.messageId] }];
          return { reservations, data: event.payload, ui };
        },
        mutate: async (ctx, prepared) => { await ctx.shop.bookOrder(prepared.data); },
      },
    },
  });`;

type Deployed = { readonly hosted: HostedScript; readonly activation: object };

async function prepareScript(world: ScriptedWorld): Promise<Deployed> {
  const source = { entry: "orders.ts", files: { "orders.ts": text } };
  const { manifest, problems } = await validate(source, (script) => sandbox.inspect(script));
  const compiled = await compileScript(source);
  if (manifest === null || !compiled.ok) throw new Error(JSON.stringify(problems));
  const loaded = await sandbox.load(compiled.script.code);
  if (!loaded.ok) throw new Error(loaded.failure.message);
  const { connections } = world;
  const parts = { compiled: compiled.script, manifest, connections };
  const { codeHash: scriptHash } = compiled.script;
  const activation = {
    major: 1,
    minor: 0,
    scriptHash,
    script: null,
    progress: "keep",
    ...declarationsOf(manifest),
  };
  return { hosted: hostedScript(sandbox, loaded.script, parts), activation };
}

function start(store: Store, world: ScriptedWorld, { hosted }: Deployed): Promise<Engine> {
  return Engine.start({
    store,
    incarnation: `host-${randomUUID()}`,
    leaseMs: 15_000,
    capacity: 10,
    scripts: { load: async () => hosted },
    outside: () => world,
    clock: { now: () => Date.now() },
    monotonic: realClock,
    timers: realTimers,
    random: Math.random,
  });
}

async function ask(store: Store, workflow: string, kind: string, body: object): Promise<void> {
  await store.appendCommand({
    commandId: randomUUID(),
    workflow,
    actor: "ada",
    kind,
    body: encodeCanonical(body as CanonicalValue),
    at: Date.now(),
  });
}

async function soon(isSo: () => boolean): Promise<void> {
  await expect.poll(isSo, { timeout: 60_000, interval: 5 }).toBe(true);
}

test.each(Object.entries(openStores))(
  "[R138] engines that are stopped and started book every order once, on %s",
  async (_, open) => {
    const store = await open(() => Date.now());
    const world = new ScriptedWorld({ shop: { bookOrder: { kind: "mutation" } } });
    const deployed = await prepareScript(world);
    const workflows = ["east", "west"];
    for (const workflow of workflows) {
      await store.createWorkflow(workflow);
      await ask(store, workflow, "activate_version", deployed.activation);
    }
    let engine = await start(store, world, deployed);
    for (let order = 0; order < 12; order++) {
      for (const workflow of workflows) {
        const payload = encodeCanonical({ id: `${workflow}-${order}` });
        const event = { topic: "orders", messageId: `o-${order}`, payload, title: null };
        await ask(store, workflow, "publish_event", event);
      }
      if (order % 5 !== 4) continue;
      await soon(() => world.sent.length > 0);
      await engine.stop();
      engine = await start(store, world, deployed);
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
