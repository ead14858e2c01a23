/** A service that takes its time over a read holds up no event of another cell. */
import { listIntents } from "@holdfast/host";
import { Sandbox } from "@holdfast/sandbox";
import { afterAll, beforeAll, expect, test } from "vitest";
import { MachineInTest } from "./machine-in-test.ts";
import { openStores } from "./open-stores.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await Sandbox.open({ threadsMax: 1, limits: { fuelMax: 200 } });
});
afterAll(() => sandbox.close());

/** A host that waits for what `o1` has asked for. */
async function waiting() {
  const asked = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const answer = async () => {
    asked.resolve();
    await release.promise;
    return { number: 7 };
  };
  const it = await MachineInTest.begin(sandbox, openStores.memory, {}, { answer });
  const life = it.say("o1", "look");
  await asked.promise;
  return { it, life, release };
}

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
