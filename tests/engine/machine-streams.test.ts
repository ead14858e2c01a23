import { defineConnector } from "@holdfast/connector-kit";
import type { Store } from "@holdfast/core";
import {
  AccountRests,
  ConnectedWorld,
  listRecords,
  type OutsideWorld,
  realTimers,
  summarizeMachines,
} from "@holdfast/host";
import { Sandbox } from "@holdfast/sandbox";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { MachineInTest } from "./machine-in-test.ts";
import { openStores } from "./open-stores.ts";
import { Fails, HostDies } from "./scripted-world.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await Sandbox.open({ threadsMax: 1 });
});
afterAll(() => sandbox.close());

/** Until the cell has heard of it, durably. */
async function heard(it: MachineInTest, id: string, word: string): Promise<void> {
  const has = async () => ((await it.log(id)) as string[] | undefined)?.includes(word) === true;
  await vi.waitUntil(has, { timeout: 60_000, interval: 5 });
}

type Fields = Readonly<Record<string, unknown>>;

async function recordsOf(it: MachineInTest, kind: string): Promise<readonly Fields[]> {
  const { items } = await listRecords(it.parts, { after: 0, limit: 500 });
  const all = items.map(({ record }) => record as Fields);
  return all.filter((each) => each["kind"] === kind || each["name"] === kind);
}

describe.each(Object.entries(openStores))("progress of effects, on %s", (_, open) => {
  test("[M.V-7, M.V-8, M.V-10] a step hears of it while the call is under way", async () => {
    let sayLate = (): void => {};
    const it = await MachineInTest.begin(sandbox, open, {
      answer: async (_params, frame) => {
        frame("loading", { percent: 50 });
        await heard(it, "o1", 'loading 1 {"percent":50}');
        // Nothing is settled by it.
        expect(await it.status("o1")).toBe("waiting");
        frame("loading", { percent: 75 });
        frame("done", null);
        sayLate = () => frame("late", null);
        return { number: 4 };
      },
    });
    await it.say("o1", "book");
    const all = ["book", 'loading 1 {"percent":50}', 'loading 2 {"percent":75}', "done 3 null"];
    expect(await it.log("o1")).toEqual([...all, "shop/book@1 ok"]);
    sayLate();
    await it.say("o2", "hello");
    expect(await it.log("o1")).toEqual([...all, "shop/book@1 ok"]);
    const [intent] = await recordsOf(it, "effect_intent");
    const frames = await recordsOf(it, "stream_frame");
    expect(frames.map(({ intent_hash, frame_seq }) => [intent_hash, frame_seq])).toEqual(
      [1, 2, 3].map((seq) => [intent?.["intent_hash"], seq]),
    );
    expect(frames[0]?.["identity"]).toMatchObject({
      machine: "orders/order@1",
      effect: "shop/book@1",
      executor_module: "shop",
      emitted_at_seq: intent?.["emitted_at_seq"],
    });
    expect(it.sent).toEqual(["o1"]);
    await it.expectSound();
  });

  test("[M.E-13] what is taken back while it is sent is not sent once more", async () => {
    const it = await MachineInTest.begin(sandbox, open, {
      answer: async (_params, frame) => {
        // Its deadline passes, and a turn finds it being sent; then the service wants to wait.
        it.test.now += 6_000;
        frame("loading", null);
        await heard(it, "o1", "loading 1 null");
        throw new Fails("transient", "too many", it.test.now + 1_000);
      },
    });
    await it.say("o1", "soon");
    expect(it.sent).toEqual(["o1"]);
    it.test.now += 60_000;
    await it.test.live();
    expect(it.sent).toEqual(["o1"]);
    expect(await it.log("o1")).toEqual(["soon", "loading 1 null", "shop/book@1 error deadline"]);
    await it.expectSound();
  });

  test("[M.V-9, M.P-5, M.K7.8-6] after a death a read begins anew", async () => {
    let dies = true;
    const it = await MachineInTest.begin(
      sandbox,
      open,
      {},
      {
        answer: async (_params, frame) => {
          frame("part", 1);
          frame("part", 2);
          if (dies) {
            await heard(it, "o1", "part 2 2");
            throw new HostDies();
          }
          frame("part", 3);
          // A fraction has no exact form: it is not there, and that is on record.
          frame("part", 0.5);
          frame("part", 5);
          return { number: 7 };
        },
      },
    );
    await it.say("o1", "look");
    dies = false;
    it.test.now += 600_000;
    await it.test.live();
    expect(await it.log("o1")).toEqual([
      ...["look", "part 1 1", "part 2 2", "part 3 3", "part 5 5", "shop/look@1 ok"],
    ]);
    const dropped = await recordsOf(it, "workflow.stream_drop");
    expect(dropped.map(({ reason, observed_seq }) => [reason, observed_seq])).toEqual([
      ["stream.non_monotonic", 1],
      ["stream.non_monotonic", 2],
    ]);
    expect(await recordsOf(it, "workflow.stream_gap")).toMatchObject([
      { expected_seq: 4, observed_seq: 5 },
    ]);
    expect(await summarizeMachines(it.parts)).toMatchObject({
      frames: 6,
      continuations: { frame: 4, dropped: 2, receipt: 1 },
    });
    await it.expectSound();
  });

  test("[M.V-11] two that ask for the same hear each of their own", async () => {
    let count = 0;
    const it = await MachineInTest.begin(
      sandbox,
      open,
      {},
      {
        answer: async (params, frame) => {
          const own = `own ${params["id"]}`;
          // What a connector says of whose it is counts for nothing.
          frame("mine", { own, origin_module_id: "elsewhere", intent_id: "another" });
          count += 1;
          await vi.waitUntil(() => count === 2, { timeout: 60_000, interval: 5 });
          frame("mine", { own });
          return { number: 7 };
        },
      },
    );
    for (const id of ["o1", "o2"]) await it.tell(id, "look");
    await it.test.live();
    for (const id of ["o1", "o2"]) {
      const log = (await it.log(id)) as string[];
      expect(log).toHaveLength(4);
      expect(log[1]).toContain(`"own":"own ${id}"`);
      expect(log[2]).toBe(`mine 2 {"own":"own ${id}"}`);
    }
    expect(await recordsOf(it, "workflow.stream_drop")).toEqual([]);
    await it.expectSound();
  });

  test("[M.V-11] what ends without an answer is an error receipt", async () => {
    const it = await MachineInTest.begin(sandbox, open);
    const world = silent();
    const read: OutsideWorld["read"] = (...given) => world.read(...given);
    it.test.wayOut = (scripted) => instead(scripted, "read", read);
    await it.say("o1", "look");
    expect(await it.log("o1")).toEqual(["look", "part 1 1", "shop/look@1 error internal"]);
    expect(await it.status("o1")).toBe("running");
    await it.expectSound();
  });

  test("[M.P-3] what was said in a turn that is not durable is said again", async () => {
    let failures = 0;
    const it = await MachineInTest.begin(sandbox, open, {
      answer: async (_params, frame) => {
        failures = 1;
        frame("part", 1);
        await vi.waitUntil(() => failures === 0, { timeout: 60_000, interval: 5 });
        frame("part", 2);
        return { number: 1 };
      },
    });
    await it.test.live();
    it.test.way = (store) => refusing(store, () => failures > 0 && failures-- > 0);
    await it.say("o1", "book");
    expect(await it.log("o1")).toEqual(["book", "part 1 1", "part 2 2", "shop/book@1 ok"]);
    expect(await recordsOf(it, "workflow.stream_drop")).toEqual([]);
    await it.expectSound();
  });
});

/** A connector whose read says something and then nothing more. */
function silent(): ConnectedWorld {
  const shop = defineConnector<{ timeoutMs: number }>({
    name: "shop",
    version: "1",
    readAccount: () => ({ timeoutMs: 1_000 }),
    operations: {
      look: {
        kind: "read:byId",
        readParams: (given) => given,
        identity: () => null,
        target: () => "",
        describe: () => "",
        execute: async ({ frame }) => {
          frame("part", 1);
          return undefined as never;
        },
      },
    },
  });
  return new ConnectedWorld({
    connections: new Map([["shop", shop.connect("shop", {})]]),
    rests: new AccountRests(),
    now: () => 1_000,
    timers: realTimers,
    random: () => 0,
  });
}

/** The same, but for one of its methods. */
function instead<T extends object, K extends keyof T>(given: T, name: K, method: T[K]): T {
  return new Proxy(given, {
    get: (target, key) => {
      if (key === name) return method;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** Of these commits nobody knows whether they are durable, and they are not. */
function refusing(store: Store, refuses: () => boolean): Store {
  return instead(store, "commit", async (changes) => {
    if (!refuses()) return store.commit(changes);
    return changes.map(() => ({ kind: "unknown", cause: "as the test wants" }) as const);
  });
}
