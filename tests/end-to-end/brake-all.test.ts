import { describe, expect, onTestFinished, test } from "vitest";
import { HostProcess, newFolder, verifyFull, writeAccounts } from "./host-process.ts";
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
    await publishOrders(first, ["o-1"]);
    const whyHeld = async (host: HostProcess) => (await host.holdfast("why", "orders")).out;
    await expect.poll(() => whyHeld(first), { timeout: 30_000 }).toContain("the shop looks wrong");
    const runs = async (host: HostProcess) => (await host.holdfast("runs", "ls", "orders")).out;
    expect(await runs(first)).toContain("paused:approval (brake)");
    await first.holdfast("brake", "on", "orders", "--reason", "and so does this one");
    expect(await first.stop()).toMatchObject({ code: 0 });

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
});
