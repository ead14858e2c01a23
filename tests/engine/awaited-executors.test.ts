import { encodeGrants, type Grant, readGrants } from "@holdfast/core";
import { type OutsideWorld, type WorkDesk, whyOf } from "@holdfast/host";
import { Sandbox } from "@holdfast/sandbox";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MachineInTest } from "./machine-in-test.ts";
import { openStores } from "./open-stores.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await Sandbox.open({ threadsMax: 1 });
});
afterAll(() => sandbox.close());

const hourMs = 3_600_000;
const yearMs = 365 * 24 * hourMs;

/** Where somebody waits for work, has been a moment ago, or nobody is. */
class DeskInTest implements WorkDesk {
  is: "waited at" | "just left" | "empty" = "empty";

  serves = () => true;
  isWaitedAt = () => this.is === "waited at";
  hasFree = () => this.is === "waited at";
  asks = () => this.is === "waited at";
  isPresent = () => this.is !== "empty";
  expect = async () => {};
  forget = () => {};
  watch = () => () => {};
}

type Open = (typeof openStores)["memory"];

async function begin(open: Open, send?: OutsideWorld["send"]) {
  const it = await MachineInTest.begin(sandbox, open);
  const desk = new DeskInTest();
  const elsewhere = { executorOf: () => "http", ...(send && { send }) };
  it.test.desk = desk;
  it.test.wayOut = (world) =>
    new Proxy(world, {
      get: (target, key) => {
        const own: unknown = Reflect.get(elsewhere, key);
        const value: unknown = own ?? Reflect.get(target, key, target);
        return typeof value === "function" && own === undefined ? value.bind(target) : value;
      },
    });
  return { it, desk };
}

async function head(it: MachineInTest): Promise<number> {
  return (await it.test.store.load("orders", [])).head.seq;
}

async function factCount(it: MachineInTest, word: string): Promise<number> {
  const entries = await it.test.store.readJournal("orders", 0, 10_000);
  return entries.filter(({ bytes }) => Buffer.from(bytes).includes(word)).length;
}

/** Nobody has anything to do, for a year, and nothing is written meanwhile. */
async function expectQuiet(it: MachineInTest): Promise<void> {
  const before = await head(it);
  it.test.now += yearMs;
  expect([await it.test.store.nextDueAt(), await it.test.live()]).toEqual([null, null]);
  expect(await it.test.liveByName()).toEqual({ kind: "resting" });
  expect(await head(it)).toBe(before);
}

async function why(it: MachineInTest): Promise<string> {
  const [call] = await it.test.rows("mutations");
  const told = await whyOf(it.test.store, "orders", call?.runId ?? "", it.test.now);
  return "why" in told ? told.why.text : told.kind;
}

async function call(it: MachineInTest) {
  const [{ state, awaitsExecutor } = {}] = await it.test.rows("mutations");
  return { state, awaitsExecutor };
}

const waits = { state: "ready", awaitsExecutor: "http" };

describe.each(Object.entries(openStores))("a call made elsewhere, on %s", (_, open) => {
  test("[M.V-12] that nobody asks for is written to once, and goes on when one asks", async () => {
    const { it, desk } = await begin(open);
    await it.say("o1", "book");
    expect(await call(it)).toEqual(waits);
    expect(await why(it)).toContain("not sent: no executor of http has asked for it");
    expect(await it.test.store.listAwaiting("http", null, 10)).toEqual(["orders"]);
    await expectQuiet(it);
    // Something else of the workflow goes on, and says nothing of it again.
    await it.say("o2", "hello");
    expect(await it.log("o2")).toEqual(["hello"]);
    expect(await factCount(it, "mutation_unasked")).toBe(1);
    desk.is = "waited at";
    await it.test.liveByName();
    expect([it.sent, await it.log("o1")]).toEqual([["o1"], ["book", "shop/book@1 ok"]]);
    expect(await call(it)).toEqual({ state: "applied", awaitsExecutor: null });
    expect(await it.test.store.listAwaiting("http", null, 10)).toEqual([]);
    expect(await factCount(it, "mutation_sent")).toBe(1);
    await it.expectSound();
  });

  test("is begun when somebody asked a moment ago, and not in vain for a second time", async () => {
    let count = 0;
    const notTaken = { says: "unsent", awaitsExecutor: "http" } as const;
    const { it, desk } = await begin(open, async () => {
      count += 1;
      return notTaken;
    });
    desk.is = "just left";
    await it.say("o1", "book");
    expect([count, await call(it)]).toEqual([1, waits]);
    await expectQuiet(it);
    expect(count).toBe(1);
    await it.expectSound();
  });

  test("that waits is taken back at its deadline, and asked about when its yes ends", async () => {
    const { it } = await begin(open);
    await it.say("o1", "soon");
    expect(await call(it)).toEqual(waits);
    it.test.now += 5_000;
    await it.test.live();
    expect(await it.log("o1")).toEqual(["soon", "shop/book@1 error deadline"]);
    expect(await it.test.store.listAwaiting("http", null, 10)).toEqual([]);
    const grants = readGrants([{ operation: "shop.book", say: "ask" }]);
    if (!grants.ok) throw new Error(grants.message);
    await it.test.ask("set_envelope", { grants: encodeGrants(grants.grants as readonly Grant[]) });
    await it.say("o2", "book");
    const asked = (await it.test.rows("mutations")).find((row) => row.state !== "failed");
    const { mutationId, payloadHash, approval } = asked ?? {};
    const yes = { mutationId, payloadHash, previewHash: approval?.previewHash };
    expect(await it.test.ask("approve_mutation", yes)).toBe("done");
    expect(await it.test.store.listAwaiting("http", null, 10)).toEqual(["orders"]);
    expect(await it.test.store.nextDueAt()).toBe(approval?.expiresAt);
    it.test.now = approval?.expiresAt ?? 0;
    await it.test.live();
    expect(await it.test.questions()).toEqual(["approval"]);
    expect([it.sent, await it.test.store.listAwaiting("http", null, 10)]).toEqual([[], []]);
    await it.expectSound();
  });

  test("that waits stays where it is while a brake is on, whoever asks", async () => {
    const { it, desk } = await begin(open);
    await it.say("o1", "book");
    await it.test.ask("set_brake", { operation: "shop.book", reason: "look first" });
    desk.is = "waited at";
    await expectQuiet(it);
    expect([it.sent, await call(it)]).toEqual([[], waits]);
    await it.test.ask("release_brake", { operation: "shop.book" });
    expect([it.sent, await it.log("o1")]).toEqual([["o1"], ["book", "shop/book@1 ok"]]);
    await it.expectSound();
  });

  test("does not bring forward what is due later, when its workflow is taken for it", async () => {
    const { it } = await begin(open);
    await it.say("o1", "book");
    await it.say("o2", "wait");
    const before = await head(it);
    expect(await it.test.liveByName()).toEqual({ kind: "resting" });
    expect([await it.log("o2"), await head(it)]).toEqual([["wait"], before]);
  });
});
