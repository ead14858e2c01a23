/** A service that takes its time over a read holds up the cell that asked, and nothing else. */
import { encodeCanonical, encodeGrants, type Grant, readGrants } from "@holdfast/core";
import { listIntents, realTimers } from "@holdfast/host";
import { Sandbox } from "@holdfast/sandbox";
import { afterAll, beforeAll, expect, test } from "vitest";
import { MachineInTest } from "./machine-in-test.ts";
import { openStores } from "./open-stores.ts";
import { Fails } from "./scripted-world.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await Sandbox.open({ threadsMax: 1, limits: { fuelMax: 200 } });
});
afterAll(() => sandbox.close());

/** Whoever looks for `o1`, or for one of `slow`, waits until it is let go. */
async function begin(slow: readonly string[] = ["o1"]) {
  const asked = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const answer = async ({ id }: Readonly<Record<string, unknown>>) => {
    if (!slow.includes(String(id))) return { number: 7 };
    asked.resolve();
    await release.promise;
    return { number: 7 };
  };
  const it = await MachineInTest.begin(sandbox, openStores.memory, {}, { answer });
  return { it, asked: asked.promise, release };
}

const slow = Array.from({ length: 32 }, (_, at) => `slow ${at}`);

async function grant(it: MachineInTest, look: object, book: object | null): Promise<void> {
  const given = [
    { operation: "shop.look", say: "allow", ...look },
    ...(book === null ? [] : [{ operation: "shop.book", say: "allow", ...book }]),
  ];
  const read = readGrants(given as unknown as Parameters<typeof readGrants>[0]);
  if (!read.ok) throw new Error(read.message);
  const grants = encodeGrants(read.grants as readonly Grant[]);
  expect(await it.test.ask("set_envelope", { grants })).toBe("done");
}

/** A host that waits for what `o1` has asked for. */
async function waiting() {
  const { it, asked, release } = await begin();
  const life = it.say("o1", "look");
  await asked;
  return { it, life, release };
}

const answered = ["look", "shop/look@1 ok"];

test("[M.K7.4-1] other cells go on while a read takes its time", async () => {
  const { it, life, release } = await waiting();
  for (const say of ["a", "b"]) {
    await it.tell("o2", say);
    it.test.wakes.add();
    await expect.poll(async () => (await it.log("o2")) ?? []).toContain(say);
  }
  expect(await it.log("o1")).toEqual(["look"]);
  const before = (await it.test.store.load(it.test.workflow, [])).head.seq;
  // Nothing is written where nothing came in after all.
  it.test.wakes.add();
  release.resolve();
  await life;
  expect(await it.log("o1")).toEqual(["look", "shop/look@1 ok"]);
  expect(it.looked).toHaveLength(1);
  const { seq } = (await it.test.store.load(it.test.workflow, [])).head;
  expect(seq - before).toBe(1);
  await it.expectSound();
});

test("[M.E-13] a read that takes its time is taken back while it does", async () => {
  const { it, life } = await waiting();
  const [intent] = await listIntents(it.parts);
  await it.test.command("cancel_intent", { intentId: intent?.intentId ?? "" });
  it.test.wakes.add();
  await life;
  expect(await it.log("o1")).toEqual(["look", "shop/look@1 error cancelled"]);
  expect(it.world.signals.at(-1)?.aborted).toBe(true);
  await it.expectSound();
});

test("[M.K7.4-1] answers to other reads are heard beside one that takes its time", async () => {
  const { it, release } = await begin();
  for (const id of ["o1", "o2", "o3"]) await it.tell(id, "look");
  const life = it.test.live();
  for (const id of ["o2", "o3"]) await expect.poll(() => it.log(id)).toEqual(answered);
  expect(await it.log("o1")).toEqual(["look"]);
  release.resolve();
  await life;
  expect(await it.log("o1")).toEqual(answered);
  expect(it.looked).toHaveLength(3);
  await it.expectSound();
});

test("[M.K7.4-1] a service that hangs keeps no other one from being asked", async () => {
  const many = Array.from({ length: 40 }, (_, at) => `slow ${at}`);
  const { it, release } = await begin(many);
  for (const id of many) await it.tell(id, "look");
  await it.tell("o2", "look elsewhere");
  const life = it.test.live();
  await expect.poll(() => it.log("o2")).toEqual(["look elsewhere", "shop/look@1 ok"]);
  // Of one service, so many at once.
  expect(it.looked).toHaveLength(32);
  release.resolve();
  await life;
  expect(it.looked).toHaveLength(40);
  for (const id of many) expect(await it.log(id)).toEqual(answered);
  await it.expectSound();
});

test("[M.K7.4-1] calls of other cells go out while a read takes its time", async () => {
  const { it, release } = await begin();
  await it.tell("o1", "look");
  for (const id of ["o2", "o3"]) await it.tell(id, "book");
  const life = it.test.live();
  await expect.poll(() => it.sent).toEqual(["o2", "o3"]);
  const booked = ["book", "shop/book@1 ok"];
  for (const id of ["o2", "o3"]) await expect.poll(() => it.log(id)).toEqual(booked);
  release.resolve();
  await life;
  expect(await it.log("o1")).toEqual(answered);
  await it.expectSound();
});

test("[M.K7.4-1] runs of the workflow go on while a read takes its time", async () => {
  const { it, life, release } = await waiting();
  await it.test.command("run_now", {});
  it.test.wakes.add();
  await expect.poll(() => it.sent).toEqual(["p1"]);
  release.resolve();
  await life;
  expect(await it.log("o1")).toEqual(answered);
  await it.expectSound();
});

test("[M.K7.4-1] a timer of another cell fires while a read takes its time", async () => {
  const { it, release } = await begin();
  const timers: { readonly ms: number; readonly onTime: () => void }[] = [];
  it.test.timers = {
    setTimer: (ms, onTime) => {
      if (ms < 1_000) return realTimers.setTimer(ms, onTime);
      timers.push({ ms, onTime });
      return () => {};
    },
  };
  await it.tell("o2", "wait, then book");
  await it.tell("o1", "look");
  const life = it.test.live();
  await expect.poll(() => timers.at(-1)?.ms).toBe(60_000);
  it.test.now += 60_000;
  timers.at(-1)?.onTime();
  await expect.poll(() => it.sent).toEqual(["o2"]);
  release.resolve();
  await life;
  expect(await it.log("o1")).toEqual(answered);
  await it.expectSound();
});

test("[M.K7.4-1, R90] reads of a limit are counted beside a call that goes out", async () => {
  const { it } = await begin([]);
  await grant(it, { limits: [{ per: "hour", count: 100 }] }, {});
  // A query takes a while, so that the call goes out before the last of them is counted.
  it.test.way = (store) =>
    new Proxy(store, {
      get(target, name) {
        const own: unknown = Reflect.get(target, name);
        if (typeof own !== "function") return own;
        return async (...given: unknown[]) => {
          if (name === "sumReads") await new Promise((resolve) => setTimeout(resolve, 10));
          return own.apply(target, given);
        };
      },
    });
  const ids = Array.from({ length: 10 }, (_, at) => `r${at}`);
  for (const id of ids) await it.tell(id, "look");
  await it.tell("o2", "book");
  await it.test.live();
  for (const id of ids) expect(await it.log(id)).toEqual(answered);
  expect(it.looked).toHaveLength(10);
  await it.expectSound();
});

test("[M.K7.4-1, R90] what a slow read came to counts beside a call that goes out", async () => {
  const { it, asked, release } = await begin();
  const limits = [{ per: "day", amount: 250, of: "tokens" }];
  const weigh = { operation: "shop.weigh", limits, amount: "/tokens", spent: "/number" };
  await grant(it, weigh, {});
  await it.tell("o1", "weigh");
  await it.tell("o2", "book");
  const life = it.test.live();
  await asked;
  await expect.poll(() => it.sent).toEqual(["o2"]);
  await expect.poll(() => it.log("o2")).toEqual(["book", "shop/book@1 ok"]);
  release.resolve();
  await life;
  const of = { budget: "tokens", after: 0, except: null };
  expect(await it.test.store.sumBudget(of)).toMatchObject({ count: 1, amount: 7 * 10_000 });
});

test("[M.K7.4-1] busy runs leave calls their turn while a read takes its time", async () => {
  const { it, life, release } = await waiting();
  await it.tell("o2", "book");
  const ids = Array.from({ length: 20 }, (_, at) => `todo ${at}`);
  for (const id of ids) {
    const payload = encodeCanonical({ id });
    const event = { topic: "todo", messageId: id, payload, title: null };
    await it.test.command("publish_event", event);
  }
  it.test.wakes.add();
  await expect.poll(() => it.sent).toHaveLength(21);
  expect(it.sent.indexOf("o2")).toBeLessThan(5);
  release.resolve();
  await life;
  await it.expectSound();
});

test("[M.K7.4-1] waits for the clock do not count the time that answers took", async () => {
  const last = Promise.withResolvers<void>();
  let count = 0;
  const answer = async () => {
    count += 1;
    if (count === 32) it.test.now += 50_000;
    if (count === 33) await last.promise;
    return { number: 7 };
  };
  const it = await MachineInTest.begin(sandbox, openStores.memory, {}, { answer });
  const waits: number[] = [];
  it.test.timers = {
    setTimer: (ms, onTime) => {
      waits.push(ms);
      return realTimers.setTimer(ms, onTime);
    },
  };
  await it.tell("o2", "wait");
  for (const id of [...slow, "last"]) await it.tell(id, "look");
  const life = it.test.live();
  await expect.poll(() => waits).toContain(10_000);
  last.resolve();
  await life;
  expect(await it.log("last")).toEqual(answered);
});

test("[M.E-13] a read that waits for room is taken back, and hears its deadline", async () => {
  const { it, release } = await begin(slow);
  for (const id of slow) await it.tell(id, "look");
  await it.tell("q1", "look soon");
  await it.tell("q2", "look");
  const life = it.test.live();
  await expect.poll(() => it.looked).toHaveLength(32);
  const all = await listIntents(it.parts);
  it.test.now += 10_000;
  await it.test.command("cancel_intent", { intentId: all.at(-1)?.intentId ?? "" });
  it.test.wakes.add();
  await expect.poll(() => it.log("q1")).toEqual(["look soon", "shop/look@1 timeout"]);
  await expect.poll(() => it.log("q2")).toEqual(["look", "shop/look@1 error cancelled"]);
  expect(it.looked).toHaveLength(32);
  release.resolve();
  await life;
  await it.expectSound();
});

test("[M.K7.4-1, R91] a person is asked about a held call while reads wait for room", async () => {
  const { it, release } = await begin([...slow, "last"]);
  await grant(it, {}, null);
  for (const id of [...slow, "last"]) await it.tell(id, "look");
  const life = it.test.live();
  await expect.poll(() => it.looked).toHaveLength(32);
  await it.tell("o2", "book");
  it.test.wakes.add();
  await expect.poll(() => it.test.questions()).toEqual(["action_needed"]);
  release.resolve();
  await life;
  await it.expectSound();
});

test("[M.K7.4-1, R110] nobody is asked again about reads that wait for room", async () => {
  const release = Promise.withResolvers<void>();
  let isSignedIn = false;
  const answer = async ({ id }: Readonly<Record<string, unknown>>) => {
    if (!isSignedIn && id !== "o0") throw new Fails("auth", "signed out");
    await release.promise;
    return { number: 7 };
  };
  const it = await MachineInTest.begin(sandbox, openStores.memory, {}, { answer });
  const ids = ["o0", ...slow, "o1", "o2"];
  for (const id of ids) await it.tell(id, "look");
  const life = it.test.live();
  await expect.poll(() => it.looked).toHaveLength(ids.length);
  await expect.poll(() => it.test.questions()).toEqual(["action_needed"]);
  const [asked] = await it.test.rows("attentions");
  isSignedIn = true;
  await it.test.command("acknowledge", { attentionId: asked?.attentionId ?? "" });
  it.test.wakes.add();
  await expect.poll(() => it.looked).toHaveLength(ids.length + 31);
  await it.tell("o3", "x");
  it.test.wakes.add();
  await expect.poll(() => it.log("o3")).toEqual(["x"]);
  expect(await it.test.questions()).toEqual([]);
  release.resolve();
  await life;
  for (const id of ids) expect(await it.log(id)).toEqual(answered);
  expect(await it.test.rows("attentions")).toHaveLength(1);
  await it.expectSound();
});

test("[M.K7.4-1] a host that has nothing more to do gives up what it waits for", async () => {
  const { it, life, release } = await waiting();
  await it.test.command("pause_workflow", {});
  it.test.wakes.add();
  await life;
  expect(it.world.signals.at(-1)?.aborted).toBe(true);
  release.resolve();
  await it.test.ask("resume_workflow", {});
  expect(await it.log("o1")).toEqual(answered);
  await it.expectSound();
});
