import { encodeGrants, type HostedScript, plainGrants, runSeqOf } from "@holdfast/core";
import { describe, expect, test } from "vitest";
import { bookGrants, grant, openRun } from "./granted-workflow.ts";
import { MailRoom, renewSource } from "./mail-room.ts";
import { openStores } from "./open-stores.ts";
import { OrderShop, sandboxOfFile } from "./order-shop.ts";
import { bookOneByOne, orderSource } from "./order-workflow.ts";
import type { WorkflowInTest } from "./workflow-in-test.ts";

const sandbox = sandboxOfFile();
const dayMs = 86_400_000;

/** Each phase of it takes so long, and has done so when it asks for anything. */
function taking(activeMs: number): (script: HostedScript) => HostedScript {
  return (script) => ({
    ...script,
    run: async (call, options) => {
      const perform: typeof options.perform = (asked) => options.perform(asked, activeMs);
      return { ...(await script.run(call, { ...options, perform })), activeMs };
    },
    runConsumer: async (calls, options) => {
      const perform: typeof options.perform = (asked) => options.perform(asked, activeMs);
      const { prepare, mutate } = await script.runConsumer(calls, { ...options, perform });
      const timed = mutate === null ? null : { ...mutate, activeMs };
      return { prepare: { ...prepare, activeMs }, mutate: timed };
    },
  });
}

const weighFirst = bookOneByOne.replace(
  "if (!event)",
  "if (event) await ctx.shop.weighOrder({ id: event.messageId }); if (!event)",
);

async function times(it: WorkflowInTest): Promise<readonly (readonly [string, number])[]> {
  const runs = [...(await it.rows("runs"))];
  runs.sort((a, b) => runSeqOf(a.runId) - runSeqOf(b.runId));
  return runs.map(({ handler, activeMs }) => [handler, activeMs]);
}

describe.each(Object.entries(openStores))("active time, on %s", (_, store) => {
  /** Three orders; every phase takes `phaseMs`. */
  async function begin(phaseMs: number, source: string, ...given: readonly object[]) {
    const shop = new OrderShop();
    const it = await shop.open(sandbox(), { store, source });
    it.wayToCode = taking(phaseMs);
    await it.command("set_envelope", { grants: bookGrants(...given) });
    return { shop, it };
  }

  test("[R89] a limit per day is summed up from the runs, and frees itself", async () => {
    const limits = [{ per: "day", activeMs: 500 }];
    const { shop, it } = await begin(100, orderSource(), { say: "allow", limits });
    const firstAt = it.now;
    await it.live();
    // 100 for the poll, 300 for the first booking, 200 until the second would be made.
    expect(shop.booked).toEqual(["a"]);
    expect(await times(it)).toEqual([
      ["poll", 100],
      ["book", 300],
      ["book", 200],
    ]);
    const run = await openRun(it);
    expect(run).toMatchObject({ reason: "budget", dueAt: firstAt + dayMs });
    expect(run.message).toContain("600 of 500 ms of active time per day are used up");
    expect(await it.questions()).toEqual(["action_needed"]);
    it.now = firstAt + dayMs - 1;
    await it.live();
    expect(shop.booked).toEqual(["a"]);
    it.now = firstAt + dayMs;
    await it.live();
    expect(shop.booked[1]).toBe("b");
    await it.expectSound();
  });

  test("[R89] a run that has used up its time waits for a person, and goes on", async () => {
    const limits = [{ per: "run", activeMs: 200 }];
    const { shop, it } = await begin(100, orderSource(), { say: "allow", limits });
    await it.live();
    expect(shop.booked).toEqual([]);
    const run = await openRun(it);
    expect(run).toMatchObject({ reason: "permission", dueAt: null });
    expect(run.message).toContain("200 of 200 ms of active time per run are used up");
    await grant(it, { say: "allow", limits: [{ per: "run", activeMs: 400 }] });
    expect(shop.booked).toEqual(["a", "b", "c"]);
    expect(await it.questions()).toEqual([]);
    await it.expectSound();
  });

  test("[R89] one that takes more than its hour does not wait for the hour to pass", async () => {
    const limits = [{ per: "hour", activeMs: 150 }];
    const { shop, it } = await begin(100, orderSource(), { say: "allow", limits });
    await it.live();
    expect(shop.booked).toEqual([]);
    const run = await openRun(it);
    expect(run).toMatchObject({ reason: "permission", dueAt: null });
    expect(run.message).toContain(
      "300 of 150 ms of active time per hour are used up, 200 by the run itself",
    );
  });

  test("[R89] a read is judged by how long its phase has run, before any I/O", async () => {
    const weigh = { operation: "shop.weighOrder", say: "allow" };
    const limits = [{ per: "run", activeMs: 100 }];
    const source = orderSource(weighFirst);
    const { shop, it } = await begin(100, source, { say: "allow" }, { ...weigh, limits });
    await it.live();
    expect(shop.world.reads).toEqual(["shop.listOrders"]);
    const run = await openRun(it);
    expect(run).toMatchObject({ reason: "permission", phase: "preparing" });
    expect(run.message).toContain("100 of 100 ms of active time per run are used up");
    await grant(it, { say: "allow" }, { ...weigh, limits: [{ per: "run", activeMs: 10_000 }] });
    expect(shop.booked).toEqual(["a", "b", "c"]);
    // Nothing but its time is limited: it is not counted, and costs no commit.
    const of = { connection: "shop", operation: "weighOrder", after: 0, runId: null };
    expect(await it.store.sumReads(it.workflow, of)).toMatchObject({ count: 0 });
    await it.expectSound();
  });

  test("[R89] what is sent later is judged by what its run took", async () => {
    const { shop, it } = await begin(100, orderSource(), { say: "allow" });
    await it.command("set_brake", { operation: "*", reason: "wait" });
    await it.live();
    await grant(it, { say: "allow", limits: [{ per: "run", activeMs: 200 }] });
    await it.ask("release_brake", { operation: "*" });
    expect(shop.booked).toEqual([]);
    expect((await openRun(it)).message).toContain("200 of 200 ms of active time per run");
    await grant(it, { say: "allow", limits: [{ per: "run", activeMs: 201 }] });
    expect(shop.booked).toEqual(["a", "b", "c"]);
  });

  test("[R89] time costs no fact of its own, and parts of a millisecond add up", async () => {
    const kinds = async (phaseMs: number) => {
      const { shop, it } = await begin(phaseMs, orderSource(), { say: "allow" });
      await it.live();
      expect(shop.booked).toEqual(["a", "b", "c"]);
      await it.expectSound();
      const records = await it.store.readJournal(it.workflow, 0, 1_000);
      const ran = (await times(it)).map(([, activeMs]) => activeMs);
      return { facts: records.length, sum: ran.reduce((all, each) => all + each, 0) };
    };
    const [none, some, much] = [await kinds(0), await kinds(0.9), await kinds(1_000)];
    expect(none.sum).toBe(0);
    expect([some.facts, much.facts]).toEqual([none.facts, none.facts]);
    // As many phases, of nine tenths of a millisecond; what is left is less than one.
    expect(some.sum).toBe(Math.floor((much.sum / 1_000) * 0.9));
  });

  test("[R89] a job tells its time with its calls, and is held between two of them", async () => {
    const room = new MailRoom();
    const it = await room.open(sandbox(), { source: renewSource(), store });
    let asked = 0;
    // A hundred for every call there was before.
    it.wayToCode = (script) => ({
      ...script,
      run: async (call, options) => {
        asked = 0;
        const perform: typeof options.perform = (each) => options.perform(each, asked++ * 100);
        return { ...(await script.run(call, { ...options, perform })), activeMs: asked * 100 };
      },
    });
    await it.ask("run_now", {});
    expect(room.sent).toHaveLength(4);
    const done = (await it.rows("runs")).find(({ handler }) => handler === "renew");
    expect(done).toMatchObject({ status: "committed", activeMs: asked * 100 });
    room.contracts = ["c1", "c2", "c3"];
    const mailWithin = (activeMs: number) =>
      encodeGrants([
        ...plainGrants("allow", ["crm.listEnding", "files.put"]),
        ...plainGrants("allow", ["mail.send"]).map((each) => {
          return {
            ...each,
            limits: [{ per: "run", count: null, amount: null, activeMs }] as const,
          };
        }),
      ]);
    await it.ask("set_envelope", { grants: mailWithin(500) });
    await it.ask("run_now", {});
    // The list, three items and the file come before the mail.
    expect(room.sent.slice(4)).toEqual(["files.put c3"]);
    const run = await openRun(it);
    expect(run).toMatchObject({ reason: "permission" });
    expect(run.message).toContain("500 of 500 ms of active time per run are used up");
    // Told by the file and by the pause; the handler begins at its top.
    expect((await it.openRun()).activeMs).toBe(500);
    await it.ask("set_envelope", { grants: mailWithin(10_000) });
    expect(room.sent.slice(4)).toEqual(["files.put c3", "mail.send c3"]);
    await it.expectSound();
  });
});
