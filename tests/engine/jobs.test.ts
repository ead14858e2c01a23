import { describe, expect, test } from "vitest";
import { askForMail } from "./mail-grants.ts";
import { MailRoom, renewSource } from "./mail-room.ts";
import { openStores } from "./open-stores.ts";
import { sandboxOfFile } from "./order-shop.ts";
import { Fails, HostDies } from "./scripted-world.ts";
import type { WorkflowInTest } from "./workflow-in-test.ts";

const sandbox = sandboxOfFile();
const all = ["files.put c1", "mail.send c1", "files.put c2", "mail.send c2"];

async function items(it: WorkflowInTest): Promise<readonly string[]> {
  const rows = await it.rows("items");
  return rows.map(({ itemId, status, attempt }) => `${itemId} ${status} ${attempt}`);
}

async function lastRun(it: WorkflowInTest) {
  const runs = [...(await it.rows("runs"))];
  const run = runs.sort((a, b) => a.asOf - b.asOf).at(-1);
  return { status: run?.status, reason: run?.reason, message: run?.failure?.message ?? null };
}

async function mutation(it: WorkflowInTest, name: string) {
  const rows = await it.rows("mutations");
  const found = rows.findLast(({ connection, operation }) => `${connection}.${operation}` === name);
  if (found === undefined) throw new Error(`there is no ${name}`);
  return found;
}

describe.each(Object.entries(openStores))("on %s", (_, store) => {
  async function begin(room: MailRoom, source = renewSource()) {
    const it = await room.open(sandbox(), { source, store });
    await it.ask("run_now", {});
    return it;
  }

  test("[L2, L4, L5, L8] a job works its items off, and then finds them done", async () => {
    const room = new MailRoom();
    const it = await begin(room);
    expect(room.sent).toEqual(all);
    expect(room.world.sent[1]?.params).toEqual({ to: "c1", body: "see row c1" });
    expect(await items(it)).toEqual(["contract:c1 done 1", "contract:c2 done 1"]);
    expect(await lastRun(it)).toMatchObject({ status: "committed" });
    const known = (await it.rows("items"))[0];
    const { position, touchedSeq, createdBy } = known ?? {};
    const byRun = { createdBy: expect.stringMatching(/^r/), lastRunId: createdBy };
    expect(known).toMatchObject({ title: "Contract c1", ...byRun, createdAt: known?.updatedAt });
    room.contracts = ["c1", "c2", "c3"];
    await it.ask("run_now", {});
    expect(room.sent.slice(4)).toEqual(["files.put c3", "mail.send c3"]);
    const [first] = await it.rows("items");
    expect(first).toMatchObject({ position, touchedSeq, createdBy });
    await it.expectSound();
  });

  test("[S42, R78, L7] a host that dies is followed by one that replays the item", async () => {
    const room = new MailRoom();
    let deaths = 0;
    room.send = ({ to }) => {
      deaths += 1;
      if (deaths === 1) throw new HostDies();
      return { messageId: `to ${String(to)}` };
    };
    room.guarantee = { canReconcile: true };
    room.find = () => ({ says: "applied", result: new Uint8Array([0xd9, 0xd9, 0xf7, 0xf6]) });
    const it = await begin(room);
    expect(await items(it)).toEqual(["contract:c1 processing 1"]);
    it.now += 3_600_000;
    await it.live();
    it.now += 3_600_000;
    await it.live();
    expect(room.sent).toEqual(all);
    expect(await items(it)).toEqual(["contract:c1 done 1", "contract:c2 done 1"]);
    await it.expectSound();
  });

  test("[L9, L10, L20, R78] what failed is sent again, what was applied is not", async () => {
    const room = new MailRoom();
    room.send = () => {
      throw new Fails("logic", "no such address");
    };
    const it = await begin(room);
    expect(await items(it)).toEqual(["contract:c1 failed 1"]);
    expect(await lastRun(it)).toMatchObject({ status: "failed:logic" });
    room.send = () => ({ messageId: "m" });
    await it.ask("retry_run", { runId: (await it.openRun()).runId });
    expect(room.sent).toEqual(["files.put c1", "mail.send c1", ...all.slice(1)]);
    expect(await items(it)).toEqual(["contract:c1 done 1", "contract:c2 done 1"]);
    await it.expectSound();
  });

  test("[L10, L15] an unknown outcome blocks the item until a person has answered", async () => {
    const room = new MailRoom();
    room.send = () => {
      throw new Error("no answer");
    };
    const it = await begin(room);
    expect(await items(it)).toEqual(["contract:c1 needs_attention 1"]);
    expect(await lastRun(it)).toMatchObject({ status: "paused:reconciliation" });
    room.send = () => ({ messageId: "m" });
    await it.ask("run_now", {});
    expect(room.sent).toEqual(all.slice(0, 2));
    const { mutationId } = await mutation(it, "mail.send");
    // biome-ignore lint/suspicious/noThenProperty: the word of the contract; never awaited
    const answer = { says: "did_not_happen", then: null };
    expect(await it.ask("resolve_mutation", { mutationId, answer })).toBe("done");
    expect(room.sent).toEqual(["files.put c1", "mail.send c1", ...all.slice(1)]);
    expect(await items(it)).toEqual(["contract:c1 done 1", "contract:c2 done 1"]);
    await it.expectSound();
  });

  test("[L15, L21] a person who skips the uncertain call skips its item", async () => {
    const room = new MailRoom();
    room.send = ({ to }) => {
      if (to === "c1") throw new Error("no answer");
      return {};
    };
    const it = await begin(room);
    const { mutationId } = await mutation(it, "mail.send");
    await it.ask("resolve_mutation", { mutationId, answer: { says: "skip" } });
    expect(room.sent).toEqual(all);
    expect(await items(it)).toEqual(["contract:c1 skipped 1", "contract:c2 done 1"]);
    expect(await it.ask("skip_item", { itemId: "contract:c1" })).toBe("item_already_skipped");
    expect(await it.ask("skip_item", { itemId: "contract:c2" })).toBe("item_is_done");
    expect(await it.ask("skip_item", { itemId: "contract:c9" })).toBe("item_not_found");
    await it.expectSound();
  });

  test("[L23, R91] what is approved is sent as it was asked, and then replayed", async () => {
    const room = new MailRoom();
    const it = await room.open(sandbox(), { store });
    await it.command("set_envelope", { grants: askForMail() });
    await it.ask("run_now", {});
    expect(room.sent).toEqual(all.slice(0, 1));
    expect(await lastRun(it)).toMatchObject({ status: "paused:approval", reason: "approval" });
    expect(await items(it)).toEqual(["contract:c1 processing 1"]);
    const asked = await mutation(it, "mail.send");
    const phases: string[] = [];
    it.onPhase = ({ phase }) => phases.push(phase);
    const { mutationId, payloadHash, approval } = asked;
    const previewHash = approval?.previewHash;
    await it.ask("approve_mutation", { mutationId, payloadHash, previewHash });
    expect(room.sent).toEqual(all.slice(0, 3));
    // biome-ignore lint/suspicious/noThenProperty: the word of the contract; never awaited
    const no = { mutationId: (await mutation(it, "mail.send")).mutationId, then: "skip" };
    await it.ask("reject_mutation", { ...no, reason: "not him" });
    expect(room.sent).toEqual(all.slice(0, 3));
    expect(await items(it)).toEqual(["contract:c1 done 1", "contract:c2 skipped 1"]);
    expect(await lastRun(it)).toMatchObject({ status: "committed" });
    await it.expectSound();
  });

  test("[S45, R82, L21] a mutation on a done item ends the run and leaves the item", async () => {
    const room = new MailRoom();
    const it = await begin(room);
    await it.deploy(renewSource().replace("if (ctx.item.isDone) return;", ""));
    await it.ask("run_now", {});
    expect(room.sent).toEqual(all);
    expect(await lastRun(it)).toMatchObject({
      status: "failed:logic",
      message: expect.stringContaining("item_is_done"),
    });
    expect(await items(it)).toEqual(["contract:c1 done 1", "contract:c2 done 1"]);
  });

  test("[S46, R81, L11] a new attempt makes the calls again, and the old ones stay", async () => {
    const room = new MailRoom();
    const it = await begin(room);
    expect(await it.ask("reprocess_items", { itemIds: ["contract:c2"] })).toBe("done");
    expect(await items(it)).toEqual(["contract:c1 done 1", "contract:c2 processing 2"]);
    await it.ask("run_now", {});
    expect(room.sent).toEqual([...all, ...all.slice(2)]);
    const ofItem = (await it.rows("mutations")).filter(({ itemId }) => itemId === "contract:c2");
    expect(ofItem.map(({ attempt, state }) => [attempt, state])).toEqual([
      [1, "applied"],
      [1, "applied"],
      [2, "applied"],
      [2, "applied"],
    ]);
    expect(new Set(ofItem.map(({ providerKey }) => providerKey)).size).toBe(4);
    expect(await it.ask("start_fresh", { handler: "renew" })).toBe("done");
    await it.ask("run_now", {});
    expect(room.sent.slice(6)).toEqual(all);
    expect(await items(it)).toEqual(["contract:c1 done 2", "contract:c2 done 3"]);
    await it.expectSound();
  });

  test("[S43, R79, L23] other bytes are never sent in place of what was applied", async () => {
    const room = new MailRoom();
    room.send = ({ to }) => {
      if (to === "c1") throw new Fails("auth", "signed out");
      return {};
    };
    const it = await begin(room);
    const other = renewSource().replace('text: "ends"', 'text: "has ended"');
    await it.deploy(other);
    await it.ask("stop_run", { runId: (await it.openRun()).runId });
    room.send = () => ({ messageId: "m" });
    await it.command("resume_workflow", {});
    await it.ask("run_now", {});
    expect(room.sent).toEqual(all.slice(0, 2));
    expect(await items(it)).toEqual(["contract:c1 needs_attention 1"]);
    expect(await it.questions()).toEqual(["payload_differs"]);
    const [question] = (await it.rows("attentions")).filter(({ closedAt }) => closedAt === null);
    expect(question?.note).toContain("text differs");
    expect(question?.answers).toEqual(["accept_cached", "reprocess", "skip"]);
    const { proposed } = await mutation(it, "files.put");
    expect(proposed && (await it.textOf(proposed))).toContain("has ended");
    const itemId = "contract:c1";
    const accept = { itemId, payloadHash: "sha256:other" };
    expect(await it.ask("accept_payload", accept)).toBe("payload_differs");
    await it.ask("accept_payload", { itemId, payloadHash: proposed?.hash });
    expect(room.sent).toEqual([...all.slice(0, 2), ...all.slice(1)]);
    expect(await items(it)).toEqual(["contract:c1 done 1", "contract:c2 done 1"]);
    await it.expectSound();
  });
});

describe("what a job may not do", () => {
  async function begin(body: string, room = new MailRoom()) {
    const it = await room.open(sandbox(), { source: renewSource(body) });
    await it.ask("run_now", {});
    return { it, room };
  }

  test("[S44, R80, R151] like calls need subkeys, which are never sent", async () => {
    const two = (first: string, second: string) => `
      await ctx.withItem("a", "A", async (ctx) => {
        if (ctx.item.isDone) return;
        await ctx.mail.send({ to: "ann", body: "1"${first} });
        await ctx.mail.send({ to: "ann", body: "2"${second} });
      });`;
    const without = await begin(two("", ""));
    expect(without.room.sent).toEqual(["mail.send ann"]);
    expect(await lastRun(without.it)).toMatchObject({
      status: "failed:logic",
      message: expect.stringContaining("subkey_missing"),
    });
    const { room, it } = await begin(two(', subkey: "welcome"', ', subkey: "invoice"'));
    expect(room.world.sent.map(({ params }) => params)).toEqual([
      { to: "ann", body: "1" },
      { to: "ann", body: "2" },
    ]);
    expect((await it.rows("mutations")).map(({ subkey }) => subkey)).toEqual([
      "welcome",
      "invoice",
    ]);
    expect(await items(it)).toEqual(["a done 1"]);
  });

  test("[S48, L2, L3] items and their calls come one after the other", async () => {
    const { it, room } = await begin(`
      await Promise.all(["a", "b"].map((id) => ctx.withItem(id, id.toUpperCase(), async (ctx) => {
        if (ctx.item.isDone) return;
        await Promise.all([
          ctx.files.put({ id, text: "1" }),
          ctx.mail.send({ to: id, body: "2" }),
        ]);
      })));`);
    expect(room.sent).toEqual(["files.put a", "mail.send a", "files.put b", "mail.send b"]);
    expect(await items(it)).toEqual(["a done 1", "b done 1"]);
  });

  test("[L3] after a call that did not go through no other is sent", async () => {
    const room = new MailRoom();
    room.put = () => {
      throw new Error("no answer");
    };
    const body = `await ctx.withItem("a", "A", async (ctx) => {
      if (ctx.item.isDone) return;
      await Promise.all([ctx.files.put({ id: "a" }), ctx.mail.send({ to: "a" })]);
    });`;
    const { it } = await begin(body, room);
    expect(room.sent).toEqual(["files.put a"]);
    expect(await items(it)).toEqual(["a needs_attention 1"]);
    expect(await lastRun(it)).toMatchObject({ status: "paused:reconciliation" });
  });

  test("[R83] a failure inside an item cannot be caught", async () => {
    const thrown = await begin(`
      try { await ctx.withItem("a", "A", async () => { throw new Error("x"); }); } catch {}
      await ctx.withItem("b", "B", async () => {});`);
    expect(await items(thrown.it)).toEqual(["a failed 1"]);
    expect(await lastRun(thrown.it)).toMatchObject({ status: "failed:logic" });
  });

  test("[L14] an item without a title is refused", async () => {
    const { it } = await begin(`await ctx.withItem("a", " ".repeat(2), async () => {});`);
    expect(await lastRun(it)).toMatchObject({
      status: "failed:logic",
      message: expect.stringContaining("item_title_missing"),
    });
    expect(await items(it)).toEqual([]);
  });

  test("[L14] two items of a run with one title are noted in its log, once", async () => {
    const { it } = await begin(`
      for (const id of ["a", "b", "a", "c"]) await ctx.withItem(id, "Same", async () => {});
      await ctx.withItem("d", "Other", async () => {});`);
    const [trace] = await it.store.readTraces(it.workflow, 0, 10);
    const { logs } = JSON.parse(trace?.text ?? "").phases[0];
    const text = "holdfast: the items a and b have the same title, Same";
    expect(logs).toEqual([{ at: expect.any(Number), text }]);
    expect(await items(it)).toEqual(["a done 1", "b done 1", "c done 1", "d done 1"]);
  });
});
