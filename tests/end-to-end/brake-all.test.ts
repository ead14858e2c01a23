import { describe, expect, onTestFinished, test } from "vitest";
import { Desk } from "./desk.ts";
import { HostProcess, newFolder, runOffline, verifyFull, writeAccounts } from "./host-process.ts";
import { OrderShop } from "./order-shop.ts";
import { places } from "./stores.ts";
import { deployOrders, publishOrders } from "./story.ts";

describe.each(Object.entries(places))("through the shipped program, on %s", (_, newStore) => {
  test("[R150] one command stops all sending, and its end leaves other brakes on", async () => {
    const shop = await OrderShop.start();
    onTestFinished(() => shop.stop());
    const store = await newStore();
    const accountsFile = writeAccounts(newFolder(), shop.url);
    const start = () => {
      const host = new HostProcess({ store, accountsFile });
      onTestFinished(() => host.kill("SIGKILL"));
      return host;
    };
    const first = start();
    await deployOrders(first);
    const braked = await first.holdfast("brake", "on", "--all", "--reason", "the shop looks wrong");
    expect(braked.out).toContain("1 workflows now");
    expect((await first.holdfast("brake", "on", "--all")).out).toContain(
      "0 workflows now, 1 before",
    );
    const said = "the shop looks wrong";
    expect((await first.holdfast("attention", "ls")).out).toContain(said);
    expect(await first.holdfast("doctor")).toMatchObject({
      code: 1,
      out: expect.stringMatching(new RegExp(`WRONG  brake .*${said}`)),
    });
    await publishOrders(first, ["o-1"]);
    const whyHeld = async (host: HostProcess) => (await host.holdfast("why", "orders")).out;
    await expect.poll(() => whyHeld(first), { timeout: 30_000 }).toContain("the shop looks wrong");
    const runs = async (host: HostProcess) => (await host.holdfast("runs", "ls", "orders")).out;
    expect(await runs(first)).toContain("paused:approval (brake)");
    await first.holdfast("brake", "on", "orders", "--reason", "and so does this one");
    expect(await first.stop()).toMatchObject({ code: 0 });
    expect((await runOffline(store, "doctor")).out).toContain(said);

    const second = start();
    await second.url;
    expect((await second.holdfast("brake", "off", "--all")).out).toContain("1 workflows now");
    await expect.poll(() => whyHeld(second), { timeout: 30_000 }).toContain("so does this one");
    expect(await runs(second)).toContain("paused:approval (brake)");
    expect(shop.applied).toEqual([]);
    await second.holdfast("brake", "off", "orders");
    await expect.poll(() => shop.applied.length, { timeout: 30_000 }).toBe(1);
    await second.stop();
    expect((await verifyFull(store)).out).toContain("nothing differs");
  });

  test("[R150] a workflow that is made while all sending is stopped sends nothing", async () => {
    const desk = await Desk.open(await newStore());
    const { host } = desk;
    const braked = await host.holdfast("brake", "on", "--all", "--reason", "before any was there");
    expect(braked.out).toContain("0 workflows now");
    await deployOrders(host);
    await desk.publish("o-1", 5);
    const { note } = await desk.question("action_needed", "before any was there");
    expect(note).toContain("is held by the brake on all sending");
    await desk.crash();
    expect(await desk.say("why", "orders")).toContain("before any was there");
    const alone = { kind: "release_brake", body: { operation: "**" } };
    const refused = await desk.host.api("POST", "/workflows/orders/commands", alone).catch(String);
    expect(refused).toContain("The brake on all workflows is set for all.");
    expect(desk.sums).toEqual([]);
    await desk.say("brake", "off", "--all");
    await desk.booked(5);
  });
});
