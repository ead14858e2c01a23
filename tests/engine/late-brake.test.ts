import { encodeCanonical, everyBrake, type Store } from "@holdfast/core";
import { verify } from "@holdfast/host";
import { expect, test } from "vitest";
import { ask, prepareScript, publishOrder, soon, startEngine } from "./engine-in-test.ts";
import { openStores } from "./open-stores.ts";
import { sandboxOfFile } from "./order-shop.ts";
import { ScriptedWorld } from "./scripted-world.ts";

const sandbox = sandboxOfFile();

/** A shop that takes its time to be reached: the first byte of a call waits for `go`. */
class SlowWorld extends ScriptedWorld {
  readonly reached = Promise.withResolvers<void>();
  readonly go = Promise.withResolvers<void>();

  override async send(...given: Parameters<ScriptedWorld["send"]>) {
    this.reached.resolve();
    await this.go.promise;
    return super.send(...given);
  }
}

async function statesOf(store: Store): Promise<readonly string[]> {
  const states: string[] = [];
  for await (const { state } of store.scan("orders", "mutations")) states.push(state);
  return states;
}

test.each(Object.entries(openStores))(
  "[R150] a brake that comes while a call is on its way out holds it back, on %s",
  async (_, open) => {
    const store = await open(() => Date.now());
    const world = new SlowWorld({ shop: { bookOrder: { kind: "mutation" } } });
    const deployed = await prepareScript(sandbox(), world);
    await store.createWorkflow("orders");
    await ask(store, "orders", "activate_version", deployed.activation);
    let looks = 0;
    const watched = new Proxy(store, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== "function") return member;
        if (name !== "readInbox") return member.bind(target);
        return async (...given: Parameters<Store["readInbox"]>) => {
          const entries = await store.readInbox(...given);
          if (entries.some(({ kind }) => kind === "set_brake")) looks += 1;
          return entries;
        };
      },
    });
    const engine = await startEngine(watched, world, deployed);
    await publishOrder(store, "orders", "o-1");
    await world.reached.promise;
    expect(await statesOf(store)).toEqual(["in_flight"]);
    await ask(store, "orders", "set_brake", { operation: "*", reason: "something is wrong" });
    await soon(() => looks > 0);
    world.go.resolve();
    await expect.poll(() => statesOf(store), { timeout: 30_000 }).toEqual(["ready"]);
    expect(world.sent).toEqual([]);
    await ask(store, "orders", "release_brake", { operation: "*" });
    await soon(() => world.sent.length === 1);
    await expect.poll(() => statesOf(store), { timeout: 30_000 }).toEqual(["applied"]);
    await engine.stop();
    const reports = await verify(store, { full: true });
    expect(reports.flatMap(({ problems }) => problems)).toEqual([]);
  },
);

/** Nobody is told: as if whoever turned it had died then. */
async function turnAll(store: Store, to: "on" | "off"): Promise<void> {
  const reason = to === "on" ? { reason: "all is wrong" } : {};
  const kind = to === "on" ? "set_brake" : "release_brake";
  const body = encodeCanonical({ operation: everyBrake, ...reason });
  const command = { commandId: to, actor: "ada", kind, body, at: Date.now() };
  await store.turnStoreBrake({ isOn: to === "on", reason: "all is wrong", key: to, command });
}

test.each(Object.entries(openStores))(
  "[R150] a brake on all sending that no workflow was told of holds back what is sent, on %s",
  async (_, open) => {
    const store = await open(() => Date.now());
    const world = new ScriptedWorld({ shop: { bookOrder: { kind: "mutation" } } });
    const deployed = await prepareScript(sandbox(), world);
    await store.createWorkflow("orders");
    await ask(store, "orders", "activate_version", deployed.activation);
    const engine = await startEngine(store, world, deployed);
    await turnAll(store, "on");
    await publishOrder(store, "orders", "o-1");
    const brakes = async () => {
      const found: string[] = [];
      for await (const { operation, setBy } of store.scan("orders", "brakes")) {
        found.push(`${operation} ${setBy}`);
      }
      return found;
    };
    await expect.poll(brakes, { timeout: 30_000 }).toEqual(["** ada"]);
    await expect.poll(() => statesOf(store), { timeout: 30_000 }).toEqual(["ready"]);
    expect(world.sent).toEqual([]);
    await turnAll(store, "off");
    await store.tellOfStoreBrake("orders");
    await soon(() => world.sent.length === 1);
    await engine.stop();
    const reports = await verify(store, { full: true });
    expect(reports.flatMap(({ problems }) => problems)).toEqual([]);
  },
);
