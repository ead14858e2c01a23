import { encodeCanonical, type Store } from "@holdfast/core";
import { type Engine, realTimers, verify } from "@holdfast/host";
import { expect, test } from "vitest";
import { ask, prepareScript, publishOrder, soon, startEngine } from "./engine-in-test.ts";
import { openStores } from "./open-stores.ts";
import { sandboxOfFile } from "./order-shop.ts";
import { Fails, type ScriptedOperation, ScriptedWorld } from "./scripted-world.ts";

const sandbox = sandboxOfFile();

/** Longer than any test waits: only a signal or a timer of the test's own ends it. */
const forEver = () => new Promise<never>(() => {});

type Place = {
  readonly store: Store;
  readonly world: ScriptedWorld;
  /** A timer of the engine, by its time; the others run as they are. */
  readonly timers: Map<number, () => void>;
  start(): Promise<Engine>;
  states(): Promise<readonly string[]>;
};

async function placeWith(
  bookOrder: Omit<ScriptedOperation, "kind">,
  listOrders?: () => unknown,
): Promise<Place> {
  const store = await openStores.SQLite(() => Date.now());
  const world = new ScriptedWorld({
    shop: {
      bookOrder: { kind: "mutation", ...bookOrder },
      listOrders: { kind: "read:list", answer: () => listOrders?.() },
    },
  });
  const readsFirst = listOrders !== undefined;
  const deployed = await prepareScript(sandbox(), world, { readsFirst });
  await store.createWorkflow("east");
  await ask(store, "east", "activate_version", deployed.activation);
  await publishOrder(store, "east", "o-1");
  const timers = new Map<number, () => void>();
  const watched = {
    setTimer: (ms: number, onTime: () => void) => {
      timers.set(ms, onTime);
      return realTimers.setTimer(ms, onTime);
    },
  };
  return {
    store,
    world,
    timers,
    start: () => startEngine(store, world, deployed, { timers: watched }),
    states: async () => {
      const found: string[] = [];
      for await (const { state } of store.scan("east", "mutations")) found.push(state);
      return found;
    },
  };
}

async function expectSound(store: Store): Promise<void> {
  const reports = await verify(store, { full: true });
  expect(reports.flatMap(({ problems }) => problems)).toEqual([]);
}

test("[R66, R143] a host that stops does not wait for a question, and the next asks", async () => {
  let hangs = true;
  const place = await placeWith({
    guarantee: () => ({ canReconcile: true }),
    answer: () => {
      throw new Fails("indeterminate", "no answer");
    },
    reconcile: () => (hangs ? forEver() : { says: "applied", result: encodeCanonical(null) }),
  });
  const engine = await place.start();
  await soon(() => place.world.asked.length === 1);
  await engine.stop();
  expect(place.world.signals.map(({ aborted }) => aborted)).toEqual([false, true]);
  expect(await place.states()).toEqual(["needs_reconcile"]);
  hangs = false;
  const next = await place.start();
  await expect.poll(place.states, { timeout: 20_000 }).toEqual(["applied"]);
  await next.stop();
  expect(place.world.sent).toHaveLength(1);
  await expectSound(place.store);
});

test("[R143] [R43] what was sent is waited for, but not for ever: then nobody knows", async () => {
  const place = await placeWith({ answer: forEver });
  const engine = await place.start();
  await soon(() => place.world.sent.length === 1);
  const stopping = engine.stop();
  expect(place.world.signals.map(({ aborted }) => aborted)).toEqual([false]);
  place.timers.get(30_000)?.();
  await stopping;
  expect(place.world.signals.map(({ aborted }) => aborted)).toEqual([true]);
  expect(await place.states()).toEqual(["indeterminate"]);
  const notes: string[] = [];
  for await (const { note } of place.store.scan("east", "mutation_evidence")) notes.push(note);
  expect(notes).toEqual(["the host had to stop"]);
  const next = await place.start();
  await soon(() => next.isIdle);
  await next.stop();
  expect(place.world.sent).toHaveLength(1);
  await expectSound(place.store);
});

test("[R143] a read is broken off, leaves nothing, and uses up no try", async () => {
  let hangs = true;
  const place = await placeWith({}, () => (hangs ? forEver() : []));
  const engine = await place.start();
  await soon(() => place.world.reads.length === 1);
  await engine.stop();
  expect(place.world.signals.map(({ aborted }) => aborted)).toEqual([true]);
  const statuses: string[] = [];
  for await (const { status } of place.store.scan("east", "runs")) statuses.push(status);
  expect(statuses).toEqual([]);
  hangs = false;
  const next = await place.start();
  await expect.poll(place.states, { timeout: 20_000 }).toEqual(["applied"]);
  await next.stop();
  await expectSound(place.store);
});
