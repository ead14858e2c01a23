import { encodeCanonical, everyBrake, heldIntent } from "@holdfast/core";
import { neededGrants } from "@holdfast/host";
import { Sandbox } from "@holdfast/sandbox";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MachineInTest } from "./machine-in-test.ts";
import { openStores } from "./open-stores.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await Sandbox.open({ threadsMax: 1, limits: { fuelMax: 200 } });
});
afterAll(() => sandbox.close());

const look = "shop.look";
const looked = ["look", "shop/look@1 ok"];

async function questions({ test: it }: MachineInTest) {
  return (await it.rows("attentions")).filter(({ closedAt }) => closedAt === null);
}

/** Turns the brake on all sending, and tells no workflow. */
function turn({ test: { store, now } }: MachineInTest, kind: "set_brake" | "release_brake") {
  const isOn = kind === "set_brake";
  const reason = "all is wrong";
  const body = encodeCanonical({ operation: everyBrake, ...(isOn ? { reason } : {}) });
  const command = { commandId: kind, actor: "ada", kind, body, at: now };
  return store.turnStoreBrake({ isOn, reason, key: kind, command });
}

describe.each(Object.entries(openStores))("a brake and what machines read, on %s", (_, open) => {
  const begin = (kind: "metered" | "read:byId") => MachineInTest.begin(sandbox, open, {}, { kind });

  test.each(["*", look])("[R150, C28] on %s: no metered call until it is off", async (on) => {
    const it = await begin("metered");
    await it.test.ask("set_brake", { operation: on, reason: "too dear" });
    for (const id of ["o1", "o2"]) await it.say(id, "look");
    expect(it.world.reads).toEqual([]);
    const [question, ...others] = await questions(it);
    expect([question?.answers, others]).toEqual([["cancel"], []]);
    expect(question?.note).toContain(`${look} is held by the brake on`);
    // No grant is missing.
    const needed = await neededGrants(it.test.store, "orders", { uses: [], now: it.test.now });
    expect(needed).toEqual([]);
    await it.test.ask("release_brake", { operation: on });
    expect(it.world.reads).toEqual([look, look]);
    expect([await it.log("o1"), await it.log("o2")]).toEqual([looked, looked]);
    expect(await questions(it)).toEqual([]);
    await it.expectSound();
  });

  test("[R150] a metered call that a brake holds can be taken back", async () => {
    const it = await begin("metered");
    await it.test.ask("set_brake", { operation: look, reason: "too dear" });
    await it.say("o1", "look");
    const [question] = await questions(it);
    const { intentId } = (question && heldIntent(question)) ?? {};
    await it.test.ask("cancel_intent", { intentId });
    expect(await it.log("o1")).toEqual(["look", "shop/look@1 error cancelled"]);
    expect([it.world.reads, await questions(it)]).toEqual([[], []]);
    await it.expectSound();
  });

  test("[R150] one on all sending holds them, also where the workflow was not told", async () => {
    const it = await begin("metered");
    await turn(it, "set_brake");
    await it.say("o1", "look");
    expect([it.world.reads, (await questions(it)).length]).toEqual([[], 1]);
    await turn(it, "release_brake");
    await it.test.store.tellOfStoreBrake(it.test.workflow);
    await it.test.live();
    expect(await it.log("o1")).toEqual(looked);
    await it.expectSound();
  });

  test("[R150] an ordinary read goes on", async () => {
    const it = await begin("read:byId");
    await it.test.ask("set_brake", { operation: "*", reason: "too dear" });
    await it.say("o1", "look");
    expect(await it.log("o1")).toEqual(looked);
  });
});
