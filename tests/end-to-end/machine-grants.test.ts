import { describe, expect, test } from "vitest";
import { Desk, patience } from "./desk.ts";
import { verifyFull } from "./host-process.ts";
import { places } from "./stores.ts";
import { deployOrders, machineScript, publishOrder } from "./story.ts";

describe.each(Object.entries(places))("what a machine may do, on %s", (_, newStore) => {
  test("[R84] [R87] a call without a grant is foretold and asked about", async () => {
    const store = await newStore();
    const desk = await Desk.open(store);
    const deployed = await deployOrders(desk.host, [], [], machineScript);
    expect(deployed).toMatchObject({ missing: ["shop.post"] });
    const needed = async () => (await desk.host.holdfast("grants", "needed", "orders")).out;
    expect(await needed()).toContain("shop.post: no grant names it; in the script");
    for (const id of ["o-8", "o-9"]) await publishOrder(desk.host, id, { id, sum: 5 });
    const asked = await desk.question("action_needed", "permission: shop.post was not allowed");
    expect(await needed()).toContain("waits: shop.post was not allowed: no grant names it");
    expect(await desk.say("attention", "orders")).toContain("shop.post was not allowed");
    await desk.crash();
    expect(await desk.question("action_needed")).toMatchObject(asked);
    expect(await desk.say("answer", "orders", asked.attentionId, "cancel")).toMatch(/^0 /);
    // What was canceled is asked for again by its step, and both wait.
    const next = async () => (await desk.question("action_needed", "permission:")).attentionId;
    await expect.poll(next, patience).not.toBe(asked.attentionId);
    expect(desk.sums).toEqual([]);
    expect(await desk.grant({ say: "allow" })).toContain("is in force");
    await desk.booked(5, 5);
    const open = "/workflows/orders/attention?status=open";
    const questions = () => desk.host.api<{ items: readonly unknown[] }>("GET", open);
    await expect.poll(async () => (await questions()).items, patience).toEqual([]);
    expect(await desk.host.holdfast("machine", "replay", "orders")).toMatchObject({ code: 0 });
    await desk.host.stop();
    expect((await verifyFull(store)).out).toContain("nothing differs");
  });
});
