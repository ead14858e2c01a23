import { describe, expect, test } from "vitest";
import { verifyFull } from "./host-process.ts";
import { MachineHost, script } from "./machine-host.ts";
import { places } from "./stores.ts";

/** A second call, to the counter for parcels, and a field that says so. */
const louder = script
  .replace("phase: schema.text(),", "phase: schema.text(), note: schema.option(schema.text()),")
  .replace('{ phase: "Booking" }', '{ phase: "Booking", note: "by version two" }');

type Proposal = { readonly status: string; readonly report: { readonly deltas: unknown } | null };

/** With an order that the shop would notice, and an answer that it did not give. */
function shadow(world: MachineHost) {
  const payload = { status: 200, json: '{"number":7}' };
  const answers = { "http/post@1": { status: "ok", payload } };
  const orders = [{ topic: "order.received", event: { id: "new", sum: 9 } }];
  const receipts = world.write("receipts.json", JSON.stringify(answers));
  const seeds = world.write("seeds.json", JSON.stringify(orders));
  const given = ["--receipts", receipts, "--seeds", seeds];
  return world.host.holdfast("machine", "shadow", "orders", "1", ...given);
}

/** Back to how it was, which somebody turns down. */
async function proposeAgain(world: MachineHost): Promise<void> {
  const { host } = world;
  expect((await host.holdfast("machine", "proposals", "orders")).out).toContain("applied");
  expect((await host.holdfast("machine", "proposal", "orders", "1")).out).toContain("applied");
  const again = world.write("again.ts", script);
  expect(await host.holdfast("machine", "propose", again, "--description", "back")).toMatchObject({
    code: 0,
  });
  expect(await host.holdfast("machine", "shadow", "orders", "2")).toMatchObject({ code: 0 });
  expect(await host.holdfast("machine", "reject", "orders", "2")).toMatchObject({ code: 0 });
}

/** What came of an order, why it is as it is, and how much there is. */
async function looksAround({ host }: MachineHost): Promise<void> {
  const of = ["--topic", "order.received", "--path", "id", "--value", "o-3"];
  const traced = await host.holdfast("machine", "trace", "orders", ...of);
  expect(traced.out).toContain("effect_receipt");
  const told = await host.holdfast("machine", "diagnose", "orders", ...of);
  expect(told.out).toContain("completed: all of it is done");
  const summary = await host.holdfast("machine", "summary", "orders");
  expect(summary.out).toContain("receipts: 3 ok");
  expect(summary.out).toContain("proposals: 1 applied, 1 rejected");
  const past = ["orders", "order", "--cell", '"o-1"', "--at", "2", "--json"];
  expect(JSON.parse((await host.holdfast("machine", "state", ...past)).out)).toMatchObject({
    height: 2,
    state: null,
  });
}

describe.each(Object.entries(places))(
  "proposals through the shipped program, on %s",
  (_, newStore) => {
    test("[M.G-6] [M.A-4] tried without sending, held up, applied by itself", async () => {
      const world = await MachineHost.open(await newStore());
      const { host } = world;
      const proposal = () => host.api<Proposal>("GET", "/workflows/orders/machines/proposals/1");
      await world.send("o-1", 5);
      await world.soon(async () => (await world.phase("o-1")) === "Booked");
      const deployed = await world.deploy(louder, "--major");
      expect(deployed.out).toContain("orders/order@1 is changed");
      expect(await host.holdfast("machine", "apply", "orders", "1")).toMatchObject({ code: 3 });
      const tried = await shadow(world);
      expect(tried.out).toContain('http/post@1 of orders/order@1 "new" ');
      expect(tried.out).toContain("Of what they did not reach it says nothing.");
      expect([...world.shop.counts]).toEqual([["o-1", 1]]);
      expect(
        await host.holdfast("machine", "approve", "orders", "1", "--reason", "seen"),
      ).toMatchObject({ code: 0 });
      await host.holdfast("brake", "on", "orders", "shop.post", "--reason", "look first");
      await world.publish("o-2", 5);
      await world.soon(async () => (await world.intents()).items.length === 1);
      const held = await host.holdfast("machine", "apply", "orders", "1");
      expect(held.code).toBe(1);
      expect(held.out).toMatch(
        /intent_open: orders\/order@1 "o-2" http\/post@1 [0-9a-f]{64}; wait/,
      );
      expect((await proposal()).status).toBe("approved");
      expect((await host.holdfast("machine", "apply", "orders", "1", "--wait")).out).toContain(
        "by itself",
      );
      await host.holdfast("brake", "off", "orders", "shop.post");
      await world.soon(async () => (await proposal()).status === "applied");
      await world.publish("o-3", 5);
      await world.soon(async () => (await world.phase("o-3")) === "Booked");
      await proposeAgain(world);
      await looksAround(world);
      const before = await world.replay();
      await world.crash();
      expect(await world.replay()).toEqual(before);
      expect([...world.shop.counts.values()]).toEqual([1, 1, 1]);
      await world.host.stop();
      expect(await verifyFull(world.store)).toMatchObject({ code: 0 });
    });
  },
);
