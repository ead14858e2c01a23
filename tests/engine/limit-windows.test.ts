import { encodeGrants, type Grant, readGrants } from "@holdfast/core";
import { describe, expect, test } from "vitest";
import { approve, bookGrants, grant, openRun, states } from "./granted-workflow.ts";
import { MachineInTest } from "./machine-in-test.ts";
import { openStores } from "./open-stores.ts";
import { OrderShop, sandboxOfFile } from "./order-shop.ts";
import { Fails } from "./scripted-world.ts";

const sandbox = sandboxOfFile();
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

const onePerDay = [{ per: "day", count: 1 }];
const thirtyPerDay = { amount: "/sum", limits: [{ per: "day", amount: 30 }] };

describe.each(Object.entries(openStores))("limits on what is sent late, on %s", (_, store) => {
  /** Two orders of 30; nothing has run yet. */
  async function begin(...given: readonly object[]) {
    const shop = new OrderShop();
    shop.orders = ["a", "b"].map((id) => ({ id, sum: 30 }));
    const it = await shop.open(sandbox(), { store });
    await it.command("set_envelope", { grants: bookGrants(...given) });
    return { shop, it };
  }

  /** The first call is recorded, and held up by the brake. */
  async function held(...given: readonly object[]) {
    const { shop, it } = await begin(...given);
    await it.command("set_brake", { operation: "*", reason: "wait" });
    await it.live();
    expect(await states(it)).toEqual(["ready"]);
    return { shop, it, go: () => it.ask("release_brake", { operation: "*" }) };
  }

  test("[R89] a call that was approved days later counts from when it was sent", async () => {
    const { shop, it } = await begin({ say: "ask", limits: onePerDay });
    await it.live();
    it.now += 2 * dayMs;
    const sentAt = it.now;
    expect(await approve(it)).toBe("done");
    expect(shop.booked).toEqual(["a"]);
    expect(await openRun(it)).toMatchObject({ reason: "budget", dueAt: sentAt + dayMs });
    it.now = sentAt + dayMs;
    await it.live();
    expect(await approve(it)).toBe("done");
    expect(shop.booked).toEqual(["a", "b"]);
    await it.expectSound();
  });

  test("[R89] an amount that a brake held for days counts from when it was sent", async () => {
    const { shop, it, go } = await held({ say: "allow", ...thirtyPerDay });
    it.now += 2 * dayMs;
    await go();
    expect(shop.booked).toEqual(["a"]);
    expect(await openRun(it)).toMatchObject({ reason: "budget", dueAt: it.now + dayMs });
    it.now += dayMs;
    await it.live();
    expect(shop.booked).toEqual(["a", "b"]);
    await it.expectSound();
  });

  test("[R89] calls of a machine from three days are not all sent in a moment", async () => {
    const it = await MachineInTest.begin(sandbox(), store);
    const asks = { operation: "shop.book", say: "ask", limits: onePerDay };
    const read = readGrants([asks] as unknown as Parameters<typeof readGrants>[0]);
    if (!read.ok) throw new Error(read.message);
    const grants = encodeGrants(read.grants as readonly Grant[]);
    await it.test.ask("set_envelope", { grants });
    for (const id of ["o1", "o2", "o3"]) {
      it.test.now += dayMs;
      await it.say(id, "book");
    }
    const asked = await it.test.rows("mutations");
    expect(asked.map(({ state }) => state)).toEqual(Array(3).fill("awaiting_approval"));
    it.test.now += dayMs;
    for (const { mutationId, payloadHash, approval } of asked) {
      const previewHash = approval?.previewHash;
      await it.test.ask("approve_mutation", { mutationId, payloadHash, previewHash });
    }
    expect(it.sent).toHaveLength(1);
    await it.expectSound();
  });

  test("[R89] what a service put off counts from its last send, in a budget too", async () => {
    const limits = [{ per: "hour", count: 1, of: "purchases" }];
    const { shop, it } = await begin({ say: "allow", limits });
    const { book } = shop;
    shop.book = () => {
      throw new Fails("transient", "busy", it.now + 2 * hourMs);
    };
    await it.live();
    expect(shop.booked).toEqual(["a"]);
    shop.book = book;
    it.now += 2 * hourMs;
    await it.live();
    expect(shop.booked).toEqual(["a", "a"]);
    expect(await openRun(it)).toMatchObject({ reason: "budget", dueAt: it.now + hourMs });
    it.now += hourMs;
    await it.live();
    expect(shop.booked).toEqual(["a", "a", "b"]);
    await it.expectSound();
  });

  test("[R89] what a slow phase calls counts from its send, not from the phase", async () => {
    const { shop, it } = await begin({ say: "allow", limits: [{ per: "hour", count: 1 }] });
    const { world, book } = shop;
    const plain = world.describe.bind(world);
    world.describe = (call) => {
      it.now += 600_000;
      return plain(call);
    };
    let sentAt = 0;
    shop.book = (params) => {
      sentAt = it.now;
      return book(params);
    };
    await it.live();
    expect(shop.booked).toEqual(["a"]);
    expect(await openRun(it)).toMatchObject({ reason: "budget", dueAt: sentAt + hourMs });
    await it.expectSound();
  });

  test("[R89] a call counts with its amount if that is counted when it is sent", async () => {
    const { shop, it, go } = await held({ say: "allow" });
    await grant(it, { say: "allow", ...thirtyPerDay });
    await go();
    expect(shop.booked).toEqual(["a"]);
    const { reason, message } = await openRun(it);
    expect([reason, message]).toEqual([
      "budget",
      "shop.bookOrder: 30 of 30 per day are used up, and this call is 30",
    ]);
    await it.expectSound();
  });

  test("[R89] a call that is asked about anew has the amount it is asked with", async () => {
    const { shop, it, go } = await held({ say: "allow" });
    await grant(it, { say: "ask", ...thirtyPerDay });
    await go();
    const [, asked] = await it.rows("mutations");
    expect(asked).toMatchObject({ state: "awaiting_approval", amount: 300_000 });
    expect(await approve(it)).toBe("done");
    expect(shop.booked).toEqual(["a"]);
    expect(await openRun(it)).toMatchObject({ reason: "budget" });
    await it.expectSound();
  });
});
