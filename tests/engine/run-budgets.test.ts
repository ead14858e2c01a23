import { encodeGrants, readGrants } from "@holdfast/core";
import { describe, expect, test } from "vitest";
import { openRun } from "./granted-workflow.ts";
import { MachineInTest } from "./machine-in-test.ts";
import { MailRoom, renewSource } from "./mail-room.ts";
import { openStores } from "./open-stores.ts";
import { sandboxOfFile } from "./order-shop.ts";
import type { WorkflowInTest } from "./workflow-in-test.ts";

const sandbox = sandboxOfFile();
const dayMs = 86_400_000;
const changes = ["files.put", "mail.send"];
const everything = ["crm.listEnding", ...changes];
const all = ["files.put c1", "mail.send c1", "files.put c2", "mail.send c2"];

/** A row that costs 4 and a mail that costs 6 for each contract. */
const withSums = renewSource(`
  for (const id of await ctx.crm.listEnding({})) {
    await ctx.withItem("contract:" + id, "Contract " + id, async (ctx) => {
      if (ctx.item.isDone) return;
      await ctx.files.put({ id, sum: 4 });
      await ctx.mail.send({ to: id, sum: 6 });
    });
  }`);

/** These limits on the named operations together; the others are just allowed. */
function limited(operations: readonly string[], limits: readonly object[], more: object = {}) {
  const within = { limits, ...more };
  return encoded(
    everything.map((operation) => {
      return { operation, say: "allow", ...(operations.includes(operation) ? within : {}) };
    }),
  );
}

function encoded(grants: readonly object[]) {
  const read = readGrants(grants as unknown as Parameters<typeof readGrants>[0]);
  if (!read.ok) throw new Error(read.message);
  return { grants: encodeGrants(read.grants) };
}

async function waits(it: WorkflowInTest) {
  const { reason, message } = await openRun(it);
  return [reason, message];
}

describe.each(Object.entries(openStores))("budgets of one run on %s", (_, store) => {
  async function begin(room: MailRoom, given: object, source = renewSource()) {
    const it = await room.open(sandbox(), { source, store });
    await it.ask("set_envelope", given);
    await it.ask("run_now", {});
    return it;
  }

  test("[R89] so many changes per run, whichever they are, and as many in the next", async () => {
    const room = new MailRoom();
    const of = (count: number) => limited(changes, [{ per: "run", count, of: "changes" }]);
    const it = await begin(room, of(3));
    expect(room.sent).toEqual(all.slice(0, 3));
    const why = expect.stringContaining("3 of 3 per run of changes are used up");
    expect(await waits(it)).toEqual(["permission", why]);
    await it.ask("set_envelope", of(4));
    expect(room.sent).toEqual(all);
    expect((await it.rows("runs")).filter(({ open }) => open)).toEqual([]);
    room.contracts = ["c1", "c2", "c3", "c4", "c5"];
    await it.ask("run_now", {});
    const next = ["files.put c3", "mail.send c3", "files.put c4", "mail.send c4"];
    expect(room.sent.slice(4)).toEqual(next);
    expect((await waits(it))[1]).toContain("4 of 4 per run of changes are used up");
    await it.expectSound();
  });

  test("[R89] an amount per run is spent to the last, over all operations", async () => {
    const room = new MailRoom();
    const amount = { amount: "/sum" };
    const limits = (most: number) => [{ per: "run", amount: most, of: "costs" }];
    const it = await begin(room, limited(changes, limits(10), amount), withSums);
    expect(room.sent).toEqual(all.slice(0, 2));
    const used = "10 of 10 per run of costs are used up, and this call is 4";
    expect(await waits(it)).toEqual(["permission", expect.stringContaining(used)]);
    await it.ask("set_envelope", limited(changes, limits(13.9999), amount));
    expect(room.sent).toEqual(all.slice(0, 2));
    await it.ask("set_envelope", limited(changes, limits(14), amount));
    expect(room.sent).toEqual(all.slice(0, 3));
    await it.expectSound();
  });

  test("[R89] reads and changes of a run count together", async () => {
    const room = new MailRoom();
    const it = await begin(room, limited(everything, [{ per: "run", count: 3, of: "calls" }]));
    expect(room.world.reads).toEqual(["crm.listEnding"]);
    expect(room.sent).toEqual(all.slice(0, 2));
    expect((await waits(it))[1]).toContain("3 of 3 per run of calls are used up");
  });

  test("[R89] what was recorded and waited is not in its own way", async () => {
    const room = new MailRoom();
    const it = await room.open(sandbox(), { store });
    await it.ask("set_envelope", limited(changes, [{ per: "run", count: 2, of: "changes" }]));
    await it.ask("set_brake", { operation: "mail.send", reason: "a look first" });
    await it.ask("run_now", {});
    expect(room.sent).toEqual(all.slice(0, 1));
    await it.ask("release_brake", { operation: "mail.send" });
    expect(room.sent).toEqual(all.slice(0, 2));
    expect((await waits(it))[1]).toContain("2 of 2 per run of changes are used up");
  });

  test("[R89] every call of a machine is a run of its own", async () => {
    const it = await MachineInTest.begin(sandbox(), store);
    const limits = [{ per: "run", count: 1, of: "calls" }];
    const grant = { say: "allow", limits };
    const both = ["shop.look", "shop.book"].map((operation) => ({ operation, ...grant }));
    await it.test.ask("set_envelope", encoded(both));
    for (const id of ["o1", "o2"]) await it.say(id, "book");
    expect(it.sent).toHaveLength(2);
    const charged = await it.test.store.sumBudget({ budget: "calls", after: 0, except: null });
    expect(charged).toMatchObject({ count: 2 });
    await it.test.ask(
      "set_envelope",
      encoded([{ ...both[1], limits: [{ ...limits[0], count: 0 }] }]),
    );
    await it.say("o3", "book");
    expect(it.sent).toHaveLength(2);
    await it.expectSound();
  });

  test("[R89] what a run may do and what all may do in a day, by one budget", async () => {
    const room = new MailRoom();
    room.contracts = ["c1"];
    const limits = [
      { per: "run", count: 2, of: "changes" },
      { per: "day", count: 3, of: "changes" },
    ];
    const it = await begin(room, limited(changes, limits));
    expect(room.sent).toEqual(all.slice(0, 2));
    room.contracts = ["c1", "c2"];
    await it.ask("run_now", {});
    expect(room.sent).toEqual(all.slice(0, 3));
    const why = expect.stringContaining("3 of 3 per day of changes are used up");
    expect(await waits(it)).toEqual(["budget", why]);
    it.now += dayMs;
    await it.live();
    expect(room.sent).toEqual(all);
    await it.expectSound();
  });
});
