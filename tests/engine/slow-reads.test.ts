/** A service that takes its time over a read holds up the cell that asked, and nothing else. */
import { listIntents, realTimers } from "@holdfast/host";
import { Sandbox } from "@holdfast/sandbox";
import { afterAll, beforeAll, expect, test } from "vitest";
import { MachineInTest } from "./machine-in-test.ts";
import { openStores } from "./open-stores.ts";

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
  const slow = Array.from({ length: 40 }, (_, at) => `slow ${at}`);
  const { it, release } = await begin(slow);
  for (const id of slow) await it.tell(id, "look");
  await it.tell("o2", "look elsewhere");
  const life = it.test.live();
  await expect.poll(() => it.log("o2")).toEqual(["look elsewhere", "shop/look@1 ok"]);
  // Of one service, so many at once.
  expect(it.looked).toHaveLength(32);
  release.resolve();
  await life;
  expect(it.looked).toHaveLength(40);
  for (const id of slow) expect(await it.log(id)).toEqual(answered);
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
