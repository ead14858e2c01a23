import { encodeCanonical } from "@holdfast/core";
import { previewVersion } from "@holdfast/host";
import { Sandbox } from "@holdfast/sandbox";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openStores } from "./open-stores.ts";
import { Fails, ScriptedWorld } from "./scripted-world.ts";
import { WorkflowInTest } from "./workflow-in-test.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await Sandbox.open({ threadsMax: 2 });
});
afterAll(() => sandbox?.close());

type Parts = {
  name?: string;
  prepare?: string;
  topics?: string;
  subscribe?: string;
  hand?: string;
  next?: string;
};

/** A consumer that tells the shop about each order, under a name and with code of its own. */
const source = ({
  name = "book",
  prepare = "",
  topics = "orders: {}",
  subscribe = '"orders"',
  hand = "",
  next = "",
}: Parts = {}) => `
  import { workflow } from "@holdfast/sdk";
  export default workflow({
    name: "orders",
    connections: { shop: { connector: "http", account: "shop" } },
    topics: { ${topics} },
    producers: { hand: { manual: true, handler: async (ctx) => {${hand}} } },
    consumers: {
      ${name}: {
        subscribe: [${subscribe}],
        prepare: async (ctx) => {
          const { event } = ctx.trigger;
          if (!event) return { reservations: [], data: {} };
          await ctx.shop.look({ id: event.messageId });
          ${prepare}
          return { reservations: [{ topic: event.topic, ids: [event.messageId] }], data: {} };
        },
        ${next}
      },
    },
  });`;

describe.each(Object.entries(openStores))("a new version, on %s", (_store, open) => {
  let looks: string[] = [];
  let look: () => unknown = () => null;

  async function create(parts: Parts = {}, ids: readonly string[] = ["a", "b"]) {
    looks = [];
    look = () => null;
    const clock = { now: 1_700_000_000_000 };
    const store = await open(() => clock.now);
    const answer = ({ id }: Readonly<Record<string, unknown>>) => {
      looks.push(String(id));
      return look();
    };
    const world = new ScriptedWorld({ shop: { look: { kind: "read:list", answer } } });
    const it = await WorkflowInTest.create({ store, sandbox, world, clock }, source(parts));
    for (const messageId of ids) {
      const payload = encodeCanonical({});
      await it.command("publish_event", { topic: "orders", messageId, payload, title: null });
    }
    return it;
  }

  async function verdictOfVersion(it: WorkflowInTest) {
    const all = (await it.rows("verdicts")).filter(({ kind }) => kind === "activate_version");
    return all.sort((a, b) => a.position - b.position).at(-1);
  }

  test("[R117] that is minor mends the code; one that declares more is refused", async () => {
    const it = await create();
    await it.live();
    await it.deploy(source({ prepare: "ctx.log('mended');" }));
    await it.live();
    expect(await verdictOfVersion(it)).toMatchObject({ accepted: true });
    await it.deploy(source({ prepare: "await ctx.shop.cancel({});" }));
    await it.live();
    expect(await verdictOfVersion(it)).toMatchObject({
      accepted: false,
      refusal: "version_not_minor",
      note: "Version 1.2 is a minor one, but shop.cancel is used now. Make it 2.0.",
    });
    await it.expectSound();
  });

  test("[R117] that is minor may not make other message ids or inputs", async () => {
    const topics = "orders: {}, told: { observed: true }";
    const hand = (id: string, type = "order") => `
      for (const order of await ctx.shop.look({ id: "all" }) ?? []) {
        const inputId = await ctx.registerInput({
          source: "shop", type: "${type}", id: order.id, title: "T" });
        await ctx.publish("orders", { messageId: ${id}, inputId, payload: {} });
      }`;
    const next = (id: string) => `next: async (ctx, prepared) => {
      await ctx.publish("told", { messageId: ${id}, payload: null });
    },`;
    const first = { topics, hand: hand("order.id"), next: next("prepared.reservations[0].ids[0]") };
    const it = await create(first, []);
    const refusals: readonly (readonly [string, Parts])[] = [
      [
        "no message orders {*.id}, now message orders order:{*.id}",
        { hand: hand('"order:" + order.id') },
      ],
      ["now input shop sale {*.id}", { hand: hand("order.id", "sale") }],
      ["now message told {*.data.id}", { next: next("prepared.data.id") }],
    ];
    for (const [note, parts] of refusals) {
      await it.deploy(source({ ...first, ...parts }));
      await it.live();
      const verdict = await verdictOfVersion(it);
      expect(verdict).toMatchObject({ accepted: false, refusal: "version_not_minor" });
      expect(verdict?.note).toContain(note);
    }
    const mended = hand("each.id")
      .replaceAll("order of", "each of")
      .replace("id: order.id", "id: each.id");
    await it.deploy(source({ ...first, hand: `ctx.log("mended"); ${mended}` }));
    await it.live();
    expect(await verdictOfVersion(it)).toMatchObject({ accepted: true });
    await it.deploy(source({ ...first, hand: hand("order.number") }), { isMajor: true });
    await it.live();
    expect(await verdictOfVersion(it)).toMatchObject({ accepted: true });
    await it.expectSound();
  });

  test("[R123] that is major keeps what is done, or begins anew, or with a selection", async () => {
    const it = await create();
    await it.live();
    expect(looks).toEqual(["a", "b"]);
    await it.deploy(source(), { isMajor: true });
    await it.live();
    expect(looks).toEqual(["a", "b"]);
    await it.deploy(source(), { isMajor: true, progress: "fresh" });
    await it.live();
    expect(looks).toEqual(["a", "b", "a", "b"]);
    const inputId = (await it.rows("inputs")).find(({ externalId }) => externalId === "orders/b");
    const select = [inputId?.inputId ?? ""];
    await it.deploy(source(), { isMajor: true, progress: { select } });
    await it.live();
    expect(looks).toEqual(["a", "b", "a", "b", "b"]);
    expect(await it.statuses("orders")).toEqual({ a: "consumed", b: "consumed" });
    await it.expectSound();
  });

  test("[R124] says beforehand what it would leave behind, and changes nothing", async () => {
    const it = await create({ prepare: "throw new Error('not yet');" }, ["a", "b", "c"]);
    await it.live();
    const next = await it.compile(
      source({ name: "file", topics: "orders: {}, returns: {}", subscribe: '"returns"' }),
    );
    const version = {
      major: 2,
      minor: 0,
      script: null,
      grants: null,
      progress: "keep",
      ...next,
    } as const;
    const heads = async () => (await it.store.listWorkflows(null, 1))[0]?.head.seq;
    const before = await heads();
    const preview = await previewVersion(it.store, it.workflow, version, { now: it.now });
    expect(preview.refusal).toBeNull();
    expect(preview.orphans).toEqual({
      topics: [{ topic: "orders", why: "unsubscribed", pendingCount: 3 }],
      handlers: [
        {
          handler: "book",
          kind: "consumer",
          why: "gone",
          pendingCount: 3,
          waitingCount: 0,
          openRun: (await it.rows("runs"))[0]?.runId,
        },
      ],
    });
    expect(preview.differences.map(({ what, name }) => `${what} ${name}`)).toEqual([
      "topic returns",
      "handler book",
      "handler file",
    ]);
    const minor = { ...version, major: 1, minor: 1 };
    const refused = await previewVersion(it.store, it.workflow, minor, { now: it.now });
    expect(refused.refusal?.code).toBe("version_not_minor");
    expect(await heads()).toBe(before);
  });

  describe("[S37] without the handler of a run that is open", () => {
    test("leaves a retry waiting with a question, until a person stops it", async () => {
      const it = await create({ prepare: "throw new Error('not yet');" }, ["a"]);
      await it.live();
      await it.deploy(source({ name: "file" }), { isMajor: true });
      await it.live();
      it.now += 86_400_000;
      expect(await it.live()).toBeNull();
      const failed = (await it.rows("runs")).find((run) => run.open);
      expect(failed).toMatchObject({ handler: "book", status: "failed:logic" });
      const questions = (await it.rows("attentions")).filter(({ closedAt }) => closedAt === null);
      expect(questions.map(({ kind }) => kind).sort()).toEqual(["action_needed", "run_failed"]);
      await it.command("stop_run", { runId: failed?.runId });
      await it.command("resume_workflow", {});
      await it.live();
      // The handler under its new name works off what the old one had left.
      expect(await it.statuses("orders")).toEqual({ a: "consumed" });
      expect(looks).toEqual(["a", "a"]);
      await it.expectSound();
    });

    test("[R54] lets a run that only waited end with the code it began with", async () => {
      const it = await create({ prepare: "ctx.log('old');" }, ["a"]);
      look = () => {
        throw new Fails("transient", "not now");
      };
      await it.live();
      await it.deploy(source({ name: "file" }), { isMajor: true });
      look = () => null;
      it.now += 86_400_000;
      await it.live();
      expect(await it.statuses("orders")).toEqual({ a: "consumed" });
      const runs = await it.rows("runs");
      const booked = runs.find(
        ({ handler, status }) => handler === "book" && status === "committed",
      );
      expect(booked).toMatchObject({ version: "1.0" });
      await it.expectSound();
    });
  });
});
