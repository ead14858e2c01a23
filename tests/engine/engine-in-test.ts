import { randomUUID } from "node:crypto";
import {
  type CanonicalValue,
  encodeCanonical,
  type HostedScript,
  type Store,
} from "@holdfast/core";
import { Engine, type EngineOptions, realClock, realTimers } from "@holdfast/host";
import { grantsForAll } from "@holdfast/host/testing";
import {
  compileScript,
  declarationsOf,
  hostedScript,
  type Sandbox,
  validate,
} from "@holdfast/sandbox";
import { expect } from "vitest";
import type { ScriptedWorld } from "./scripted-world.ts";

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

export type Deployed = { readonly hosted: HostedScript; readonly activation: object };

/** Books what is published to it. */
export async function prepareScript(
  sandbox: Sandbox,
  world: ScriptedWorld,
  { readsFirst = false } = {},
): Promise<Deployed> {
  const peek = "const [event] = await ctx.peek";
  const script = readsFirst ? text.replace(peek, `await ctx.shop.listOrders({}); ${peek}`) : text;
  const source = { entry: "orders.ts", files: { "orders.ts": script } };
  const { manifest, problems } = await validate(source, (script) => sandbox.inspect(script));
  const compiled = await compileScript(source);
  if (manifest === null || !compiled.ok) throw new Error(JSON.stringify(problems));
  const loaded = await sandbox.load(compiled.script.code);
  if (!loaded.ok) throw new Error(loaded.failure.message);
  const { connections } = world;
  const parts = { compiled: compiled.script, manifest, connections };
  const { codeHash: scriptHash } = compiled.script;
  const grants = grantsForAll(connections);
  const version = { major: 1, minor: 0, scriptHash, script: null, grants, progress: "keep" };
  const activation = { ...version, ...declarationsOf(manifest) };
  return { hosted: hostedScript(sandbox, loaded.script, parts), activation };
}

export function startEngine(
  store: Store,
  world: ScriptedWorld,
  { hosted }: Deployed,
  more: Partial<EngineOptions> = {},
): Promise<Engine> {
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
    ...more,
  });
}

export async function ask(
  store: Store,
  workflow: string,
  kind: string,
  body: object,
): Promise<void> {
  await store.appendCommand({
    commandId: randomUUID(),
    workflow,
    actor: "ada",
    kind,
    body: encodeCanonical(body as CanonicalValue),
    at: Date.now(),
  });
}

/** Waits by looking. */
export async function soon(isSo: () => boolean): Promise<void> {
  await expect.poll(isSo, { timeout: 60_000, interval: 5 }).toBe(true);
}

export async function publishOrder(store: Store, workflow: string, id: string): Promise<void> {
  const payload = encodeCanonical({ id: `${workflow}-${id}` });
  const event = { topic: "orders", messageId: id, payload, title: null };
  await ask(store, workflow, "publish_event", event);
}
