import { encodeCanonical, encodeGrants, plainGrants } from "@holdfast/core";
import { listRecords } from "@holdfast/host";
import { Sandbox } from "@holdfast/sandbox";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MachineInTest, machine } from "./machine-in-test.ts";
import { openStores } from "./open-stores.ts";
import { HostDies } from "./scripted-world.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await Sandbox.open({ threadsMax: 1 });
});
afterAll(() => sandbox.close());

describe.each(Object.entries(openStores))("what comes for machines, on %s", (_, open) => {
  test("[M.P-6] what is said twice under one id is stepped on once", async () => {
    const it = await MachineInTest.begin(sandbox, open);
    const { store, workflow } = it.test;
    const value = encodeCanonical({ Placed: { id: "o1", say: "once" } });
    const body = encodeCanonical({ machine, key: encodeCanonical("o1"), value });
    const sent = {
      commandId: "mine",
      workflow,
      actor: "ann",
      kind: "send_to_machine",
      body,
      at: 0,
    };
    await store.appendCommand(sent);
    await store.appendCommand(sent);
    const event = {
      topic: "order.received",
      messageId: "same",
      payload: encodeCanonical({ id: "o1", say: "told" }),
      title: null,
    };
    await it.test.command("publish_event", event);
    await it.test.command("publish_event", event);
    await it.test.live();
    expect(await it.log("o1")).toEqual(["once", "told"]);
    await it.expectSound();
  });

  test("[M.P-4] an open intent is in the ledger once, whoever finds it open", async () => {
    const it = await MachineInTest.begin(sandbox, open);
    await it.test.ask("set_envelope", { grants: encodeGrants(plainGrants("ask", ["shop.book"])) });
    await it.say("o1", "two");
    for (const word of ["another host", "and another"]) await it.say("o2", word);
    const rows = await it.test.rows("mutations");
    expect(rows.map(({ state }) => state)).toEqual(["awaiting_approval", "awaiting_approval"]);
    expect(new Set(rows.map(({ providerKey }) => providerKey)).size).toBe(2);
    expect((await it.test.rows("items")).length).toBe(2);
    await it.expectSound();
  });

  test("[M.E-13] [M.P-8] a call that is not sent by its deadline is an error", async () => {
    const it = await MachineInTest.begin(sandbox, open);
    await it.test.ask("set_envelope", { grants: encodeGrants(plainGrants("ask", ["shop.book"])) });
    await it.say("o1", "soon");
    expect(await it.test.questions()).toEqual(["approval"]);
    it.test.now += 4_999;
    expect(await it.test.live()).toBeNull();
    expect(await it.log("o1")).toEqual(["soon"]);
    it.test.now += 1;
    await it.test.live();
    expect(await it.log("o1")).toEqual(["soon", "shop/book@1 error deadline"]);
    expect(await it.test.questions()).toEqual([]);
    expect(it.sent).toEqual([]);
    // Agreed to in time, and nobody was there to send it.
    await it.say("o2", "soon");
    const row = (await it.test.rows("mutations")).find(({ state }) => state !== "failed");
    const { payloadHash = "", previewHash = "" } = row?.approval ?? {};
    const agreed = { mutationId: row?.mutationId, payloadHash, previewHash };
    await it.test.command("approve_mutation", agreed);
    it.test.now += 5_000;
    await it.test.live();
    expect(await it.log("o2")).toEqual(["soon", "shop/book@1 error deadline"]);
    expect(it.sent).toEqual([]);
    await it.expectSound();
  });

  test("[M.F-8] a call that was sent is settled by its outcome, deadline or not", async () => {
    const it = await MachineInTest.begin(sandbox, open, {
      answer: () => {
        throw new HostDies();
      },
      guarantee: () => ({ canReconcile: true }),
      reconcile: () => ({ says: "applied", result: encodeCanonical({ number: 9 }) }),
    });
    await it.say("o1", "soon");
    it.test.now += 600_000;
    await it.test.live();
    expect(await it.log("o1")).toEqual(["soon", "shop/book@1 ok"]);
    expect(it.sent).toEqual(["o1"]);
    await it.expectSound();
  });
});

test("[M.P-7] the records are the same on every store", async () => {
  const journals: unknown[] = [];
  for (const open of Object.values(openStores)) {
    const it = await MachineInTest.begin(sandbox, open);
    for (const say of ["book", "wait", "blob", "throw"]) await it.tell(`o-${say}`, say);
    await it.test.live();
    it.test.now += 60_000;
    await it.test.live();
    const { items } = await listRecords(it.parts, { after: 0, limit: 500 });
    journals.push(items);
  }
  const [first, ...others] = journals;
  expect((first as unknown[]).length).toBeGreaterThan(15);
  for (const other of others) expect(other).toEqual(first);
});
