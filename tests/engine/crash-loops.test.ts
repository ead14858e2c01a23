import { encodeCanonical, policyDefaults } from "@holdfast/core";
import { Sandbox } from "@holdfast/sandbox";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openStores } from "./open-stores.ts";
import { HostDies, ScriptedWorld } from "./scripted-world.ts";
import { WorkflowInTest } from "./workflow-in-test.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await Sandbox.open({ threadsMax: 2 });
});
afterAll(() => sandbox?.close());

const minute = 60_000;
/** The first death leaves no trace, the others are counted. */
const deathsMax = 1 + policyDefaults.crashesInARowMax;

const source = (producers: string) => `
  import { workflow } from "@holdfast/sdk";
  export default workflow({
    name: "orders",
    connections: { shop: { connector: "http", account: "shop" } },
    topics: { orders: {} },
    producers: { ${producers} },
    consumers: {
      read: {
        subscribe: ["orders"],
        prepare: async (ctx) => {
          const [event] = await ctx.peek("orders", { limit: 1 });
          if (!event) return { reservations: [], data: {} };
          await ctx.shop.look({ of: "read" });
          return { reservations: [{ topic: "orders", ids: [event.messageId] }], data: {} };
        },
      },
    },
  });`;

const producer = (name: string, starts: string) => `
  ${name}: { ${starts}, handler: async (ctx) => { await ctx.shop.look({ of: "${name}" }); } }`;

describe.each(Object.entries(openStores))("a script that kills its host, on %s", (_, open) => {
  let kills = "poll";
  let looks: string[] = [];
  let pushed = 0;

  async function create(producers: string): Promise<WorkflowInTest> {
    kills = "poll";
    looks = [];
    const clock = { now: Date.UTC(2030, 0, 1, 8, 0) };
    const store = await open(() => clock.now);
    const answer = ({ of }: Readonly<Record<string, unknown>>) => {
      looks.push(String(of));
      if (of === kills) throw new HostDies();
      return null;
    };
    const world = new ScriptedWorld({ shop: { look: { kind: "read:list", answer } } });
    return WorkflowInTest.create({ store, sandbox, world, clock }, source(producers));
  }

  /** One host after the other, each with something in its inbox. */
  async function liveAndDie(it: WorkflowInTest, arrives: () => Promise<unknown>): Promise<void> {
    for (let life = 0; life < 12; life++) {
      await arrives();
      await it.live();
      it.now += 5 * minute;
    }
  }

  async function expectStopped(it: WorkflowInTest, deaths = deathsMax): Promise<void> {
    expect(looks.filter((of) => of === kills)).toHaveLength(deaths);
    expect(await it.questions()).toEqual(["crash_loop"]);
    const runs = (await it.rows("runs")).filter(({ handler }) => handler === kills);
    expect(new Set(runs.map(({ status }) => status))).toEqual(new Set(["crashed"]));
    await it.expectSound();
  }

  const harmless = (it: WorkflowInTest) => it.command("release_brake", { operation: "*" });

  test("[R162] is stopped, whatever is asked of the workflow in every life", async () => {
    const it = await create(producer("poll", `schedule: { interval: "5m" }`));
    await liveAndDie(it, () => harmless(it));
    await expectStopped(it);
  });

  test("[R135] [R162] is stopped when commands come after its run was written down", async () => {
    const it = await create(producer("poll", `schedule: { interval: "5m" }`));
    for (let life = 0; life < 2; life++) {
      await it.live();
      it.now += 5 * minute;
    }
    expect(await it.openRun()).toMatchObject({ status: "active" });
    await harmless(it);
    await it.live();
    const statuses = (await it.rows("runs")).map(({ status }) => status);
    expect(statuses).toEqual(["crashed", "active"]);
    await liveAndDie(it, () => harmless(it));
    await expectStopped(it);
  });

  test("[R162] is stopped where firings that were missed are skipped", async () => {
    const it = await create(producer("poll", `schedule: { interval: "5m", catchUp: "skip" }`));
    await liveAndDie(it, async () => {
      it.now += 2 * minute;
    });
    // Nothing is due after a firing was skipped: its run is on record from the first time.
    await expectStopped(it, policyDefaults.crashesInARowMax);
  });

  test("[R162] is stopped when the sender of a webhook tries again and again", async () => {
    const it = await create(producer("hook", `webhook: { secret: "shop" }`));
    kills = "hook";
    await liveAndDie(it, () => {
      pushed += 1;
      const body = new TextEncoder().encode("{}");
      const delivery = { handler: "hook", deliveryId: `d${pushed}`, body, title: null };
      return it.command("receive_delivery", delivery);
    });
    await expectStopped(it);
  });

  test("[R162] is stopped when another one runs well before it in every life", async () => {
    const it = await create(producer("poll", `schedule: { interval: "5m" }`));
    await liveAndDie(it, () => {
      pushed += 1;
      const payload = encodeCanonical({});
      const event = { topic: "orders", messageId: `m${pushed}`, payload, title: null };
      return it.command("publish_event", event);
    });
    await expectStopped(it);
    expect(looks.slice(0, 4)).toEqual(["read", "poll", "read", "poll"]);
  });

  test("[R162] is not suspected when the host dies and all goes well after that", async () => {
    const it = await create(producer("poll", `schedule: { interval: "5m" }`));
    await it.live();
    kills = "nobody";
    it.now += 5 * minute;
    await harmless(it);
    await it.live();
    expect(await it.questions()).toEqual([]);
    expect((await it.rows("runs")).map(({ status }) => status)).toEqual(["committed"]);
    for (const { crashCount } of await it.rows("handlers")) expect(crashCount).toBe(0);
    await it.expectSound();
  });
});
