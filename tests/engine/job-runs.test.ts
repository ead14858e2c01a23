import { encodeCanonical, runSeqOf } from "@holdfast/core";
import {
  listJobItems,
  listOutputs,
  previewVersion,
  showAttention,
  showJobItem,
  whyOf,
} from "@holdfast/host";
import { describe, expect, test } from "vitest";
import { MailRoom, renewSource } from "./mail-room.ts";
import { openStores } from "./open-stores.ts";
import { sandboxOfFile } from "./order-shop.ts";
import { Fails, HostDies } from "./scripted-world.ts";
import type { WorkflowInTest } from "./workflow-in-test.ts";

const sandbox = sandboxOfFile();

const onWanted = `
  const { id } = ctx.trigger.event.payload;
  await ctx.withItem("contract:" + id, "Contract " + id, async (ctx) => {
    if (ctx.item.isDone) return;
    await ctx.files.put({ id, text: "wanted" });
    await ctx.publish("renewed", { id });
  });`;
const subscribed = renewSource(onWanted, { start: 'subscribe: ["wanted"]' });

async function want(it: WorkflowInTest, ...ids: readonly string[]): Promise<void> {
  for (const id of ids) await publish(it, "wanted", id);
}

async function publish(it: WorkflowInTest, topic: string, id: string): Promise<void> {
  const payload = encodeCanonical({ id });
  await it.command("publish_event", { topic, messageId: id, payload, title: `Wanted ${id}` });
}

describe.each(Object.entries(openStores))("on %s", (_, store) => {
  test("[L23] a job that an event starts holds it until it has ended", async () => {
    const room = new MailRoom();
    const it = await room.open(sandbox(), { source: subscribed, store });
    let deaths = 0;
    room.put = ({ id }) => {
      deaths += 1;
      if (deaths === 2) throw new HostDies();
      return { row: `row ${String(id)}` };
    };
    room.guarantee = { canReconcile: true };
    room.find = () => ({ says: "applied", result: new Uint8Array([0xd9, 0xd9, 0xf7, 0xf6]) });
    await want(it, "w1", "w2", "w3");
    await it.live();
    expect(await it.statuses("wanted")).toEqual({
      w1: "consumed",
      w2: "reserved",
      w3: "pending",
    });
    it.now += 3_600_000;
    await it.live();
    await it.live();
    expect(room.sent).toEqual(["files.put w1", "files.put w2", "files.put w3"]);
    expect(new Set(Object.values(await it.statuses("wanted")))).toEqual(new Set(["consumed"]));
    const renewed = (await it.rows("events")).filter(({ topic }) => topic === "renewed");
    const inputs = await it.rows("inputs");
    expect(renewed.length).toBe(3);
    for (const { causedBy } of renewed) {
      const titles = causedBy.map((id) => inputs.find(({ inputId }) => inputId === id)?.title);
      expect(titles[0]).toMatch(/^Wanted w/);
    }
    expect((await it.live())?.kind ?? "nothing to do").toBe("nothing to do");
    await it.expectSound();
  });

  test("[L2] what an item publishes is there with its end, and not before", async () => {
    const room = new MailRoom();
    const body = `
      for (const id of await ctx.crm.listEnding({})) {
        await ctx.withItem("contract:" + id, "Contract " + id, async (ctx) => {
          if (ctx.item.isDone) return;
          await ctx.publish("renewed", { id });
          await ctx.mail.send({ to: id, body: "b" });
        });
      }
      await ctx.publish("renewed", { messageId: "all", id: "all" });`;
    room.send = ({ to }) => {
      if (to === "c2") throw new Fails("logic", "no such address");
      return {};
    };
    const it = await room.open(sandbox(), { source: renewSource(body), store });
    await it.ask("run_now", {});
    const published = async () => Object.values(await it.payloads("renewed"));
    expect(await published()).toEqual([{ id: "c1" }]);
    room.send = () => ({});
    await it.ask("retry_run", { runId: (await it.openRun()).runId });
    expect(new Set((await published()).map((each) => JSON.stringify(each)))).toEqual(
      new Set(['{"id":"c1"}', '{"id":"c2"}', '{"id":"all"}']),
    );
    expect((await published()).length).toBe(3);
    await it.expectSound();
  });

  test("[L23, R101] between two items a long job makes way for consumers", async () => {
    const room = new MailRoom();
    room.contracts = ["c1", "c2", "c3"];
    const it = await room.open(sandbox(), { store });
    room.send = ({ to }) => {
      it.now += 11_000;
      if (to === "c1") void publish(it, "orders", "o1");
      return {};
    };
    await it.ask("run_now", {});
    await it.live();
    const own = (await it.rows("runs")).filter(({ handler }) => handler !== "poll");
    const runs = [...own].sort((a, b) => runSeqOf(a.runId) - runSeqOf(b.runId));
    const shape = runs.map(({ handler, status }) => `${handler} ${status}`);
    expect(shape.slice(0, 2)).toEqual(["renew aborted", "book committed"]);
    expect(shape.at(-1)).toBe("renew committed");
    expect(room.sent.filter((each) => each.startsWith("files"))).toEqual([
      "files.put c1",
      "files.put c2",
      "files.put c3",
    ]);
    expect(await it.statuses("orders")).toEqual({ o1: "consumed" });
    await it.expectSound();
  });
});

test("[L11, L19, R18] an item is shown with its attempts, their calls and versions", async () => {
  const room = new MailRoom();
  const it = await room.open(sandbox());
  await it.ask("run_now", {});
  await it.deploy(renewSource().replace('text: "ends"', 'text: "has ended"'));
  await it.command("reprocess_items", { itemIds: ["contract:c1"] });
  room.send = () => {
    throw new Fails("auth", "signed out");
  };
  await it.ask("run_now", {});
  const { store, workflow } = it;
  const page = { after: null, limit: 10 };
  const listed = await listJobItems(store, workflow, { ...page, status: "failed" });
  expect(listed.items).toMatchObject([
    { itemId: "contract:c1", title: "Contract c1", job: "renew", attempt: 2, isDone: false },
  ]);
  const narrowed = async (filter: object) => {
    const { items } = await listJobItems(store, workflow, { ...page, status: null, ...filter });
    return items.map(({ itemId }) => itemId);
  };
  expect(await narrowed({ text: "contract C1", job: "renew" })).toEqual(["contract:c1"]);
  expect(await narrowed({ job: "other" })).toEqual([]);
  expect(await narrowed({ status: "done", text: "c1" })).toEqual([]);
  expect(await narrowed({ from: it.now + 1 })).toEqual([]);
  const shown = await showJobItem(store, workflow, "contract:c1");
  const told = shown?.attempts.map(({ attempt, versions, calls }) => {
    return { attempt, versions, calls: calls.map(({ operation, state }) => [operation, state]) };
  });
  expect(told).toEqual([
    {
      attempt: 2,
      versions: ["1.1"],
      calls: [
        ["files.put", "applied"],
        ["mail.send", "failed"],
      ],
    },
    {
      attempt: 1,
      versions: ["1.0"],
      calls: [
        ["files.put", "applied"],
        ["mail.send", "applied"],
      ],
    },
  ]);
  expect(await showJobItem(store, workflow, "nobody")).toBeNull();
  const outputs = await listOutputs(store, workflow, { ...page, kind: "mutation" });
  expect(outputs.items[0]).toMatchObject({ title: "Contract c1", itemId: "contract:c1" });
  const why = await whyOf(store, workflow, "contract:c1", it.now);
  expect(why.kind === "explained" && why.why.text).toContain("signed out");
});

test("[S43, R79, C34] a person is shown both calls and where they differ", async () => {
  const room = new MailRoom();
  room.compare = (_, { body }) => (body === "same" ? "equivalent" : "minor");
  room.send = () => ({ messageId: "first" });
  const body = (text: string) => `
    await ctx.withItem("a", "A", async (ctx) => {
      if (ctx.item.isDone) return;
      const { messageId } = await ctx.mail.send({ to: "ann", body: "${text}" });
      await ctx.files.put({ id: messageId, text: "t" });
    });`;
  room.put = () => {
    throw new Fails("auth", "signed out");
  };
  const it = await room.open(sandbox(), { source: renewSource(body("1")) });
  await it.ask("run_now", {});
  const again = async (text: string) => {
    await it.deploy(renewSource(body(text)));
    await it.command("stop_run", { runId: (await it.openRun()).runId });
    await it.command("resume_workflow", {});
    await it.ask("run_now", {});
    const mail = (await it.rows("mutations")).find(({ connection }) => connection === "mail");
    return mail?.acceptedHash ?? null;
  };
  expect(await again("same")).toBeNull();
  expect(await again("minor")).not.toBeNull();
  room.compare = () => "significant";
  expect(await again("minor")).not.toBeNull();
  expect(await it.questions()).not.toContain("payload_differs");
  await again("other");
  expect(room.sent.filter((each) => each.startsWith("mail"))).toEqual(["mail.send ann"]);
  const open = (await it.rows("attentions")).find(({ kind }) => kind === "payload_differs");
  const shown = await showAttention(it.store, it.workflow, open?.attentionId ?? "");
  expect(shown).toMatchObject({
    call: { params: { to: "ann", body: "1" } },
    proposed: { params: { to: "ann", body: "other" }, differs: ["body"] },
    item: { itemId: "a", status: "needs_attention" },
  });
  room.put = () => ({});
  await it.ask("skip_item", { itemId: "a" });
  expect((await it.rows("items")).map(({ status }) => status)).toEqual(["skipped"]);
  expect((await it.rows("runs")).some(({ open }) => open)).toBe(false);
  await it.expectSound();
});

test("[S47, L12, L13] another id format is no minor version, and told before", async () => {
  const room = new MailRoom();
  const it = await room.open(sandbox());
  await it.ask("run_now", {});
  const { scriptHash: _, ...same } = await it.compile(renewSource());
  const other = renewSource().replace('"contract:" + id', '"kontrakt:" + id');
  const { scriptHash, ...declared } = await it.compile(other);
  const version = { major: 1, minor: 1, scriptHash, script: null, grants: null } as const;
  const told = await previewVersion(
    it.store,
    it.workflow,
    { ...version, ...declared, progress: "keep" },
    { now: it.now },
  );
  expect(told.refusal?.code).toBe("version_not_minor");
  expect(told.refusal?.note).toContain("renew makes other item ids or subkeys");
  const itemIds = ["contract:c1", "contract:c2"];
  expect(told.items).toEqual([{ job: "renew", count: 2, itemIds }]);
  const kept = { ...version, ...same, progress: "keep" } as const;
  const unchanged = await previewVersion(it.store, it.workflow, kept, { now: it.now });
  expect(unchanged).toMatchObject({ refusal: null, items: [] });
  await it.deploy(other, { isMajor: true });
  await it.live();
  const page = { after: null, limit: 10, status: null };
  const listed = await listJobItems(it.store, it.workflow, page);
  expect(listed.items.map(({ isOrphan }) => isOrphan)).toEqual([true, true]);
});

test("[L1, L12] a major version keeps what is done, or begins all or some anew", async () => {
  const room = new MailRoom();
  room.contracts = ["c1", "c2"];
  const it = await room.open(sandbox());
  const puts = () => room.sent.filter((each) => each.startsWith("files"));
  const next = async (progress: "keep" | "fresh" | { select: []; items: string[] }) => {
    await it.deploy(renewSource(), { isMajor: true, progress });
    const before = puts().length;
    await it.ask("run_now", {});
    return puts().slice(before);
  };
  await it.ask("run_now", {});
  expect(await next("keep")).toEqual([]);
  expect(await next({ select: [], items: ["contract:c2"] })).toEqual(["files.put c2"]);
  expect(await next("fresh")).toEqual(["files.put c1", "files.put c2"]);
  // Whatever was deployed meanwhile, they are the same two.
  const kept = (await it.rows("items")).map(({ itemId, attempt }) => `${itemId} ${attempt}`);
  expect(kept).toEqual(["contract:c1 2", "contract:c2 3"]);
});

test("[L2] limits of calls and time count for each item, so that a run may have many", async () => {
  const body = `for (const id of Array.from({ length: 520 }, (_, at) => String(at))) {
    await ctx.withItem("item:" + id, "Item " + id, async () => {});
  }`;
  const it = await new MailRoom().open(sandbox(), {
    source: renewSource(body),
    store: openStores.memory,
  });
  await it.ask("run_now", {});
  const items = await it.rows("items");
  expect(items.filter(({ status }) => status === "done").length).toBe(520);
});
