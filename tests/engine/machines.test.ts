import {
  decodeCanonical,
  encodeCanonical,
  encodeGrants,
  plainGrants,
  policyDefaults,
  type Store,
} from "@holdfast/core";
import {
  listIntents,
  listQuestions,
  listRecords,
  summarizeMachines,
  timelineOf,
  whyOf,
} from "@holdfast/host";
import { Sandbox } from "@holdfast/sandbox";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MachineInTest, machine } from "./machine-in-test.ts";
import { machineSource } from "./machine-workflow.ts";
import { openStores } from "./open-stores.ts";
import { Fails, HostDies } from "./scripted-world.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await Sandbox.open({ threadsMax: 1, limits: { fuelMax: 200 } });
});
afterAll(() => sandbox.close());

const loud = "default: return { state: { ...next, log: log(say.toUpperCase()) } }";

describe.each(Object.entries(openStores))("machines on %s", (_, open) => {
  test("[M.P-1] [M.T-1] an event steps its cell, and its intent is sent once", async () => {
    const it = await MachineInTest.begin(sandbox, open);
    await it.say("o1", "book");
    expect(it.sent).toEqual(["o1"]);
    expect(await it.log("o1")).toEqual(["book", "shop/book@1 ok"]);
    expect(await it.status("o1")).toBe("completed");
    expect(await it.test.payloads("order.booked")).toEqual({
      "machine-7": { id: "o1", number: 1 },
    });
    expect((await it.test.rows("mutations")).map(({ state }) => state)).toEqual(["applied"]);
    await it.test.ask("run_now", {});
    await it.test.live();
    expect(await it.log("p1")).toEqual(["book", "shop/book@1 ok"]);
    await it.say("o1", "look");
    expect(await it.log("o1")).toEqual(["book", "shop/book@1 ok", "look", "shop/look@1 ok"]);
    expect(await it.test.rows("machine_inputs")).toEqual([]);
    await it.expectSound();
  });

  test("[M.K7.4-1] events of one cell are stepped on in order, none twice", async () => {
    const it = await MachineInTest.begin(sandbox, open);
    const words = Array.from({ length: 70 }, (_, at) => `word ${at}`);
    for (const word of words) await it.tell("o1", word);
    await it.tell("o1", "end");
    for (const word of ["after", "throw", "kept"]) await it.tell("o1", word);
    for (const word of words.slice(0, 5)) await it.tell("o2", word);
    await it.test.live();
    expect(await it.log("o1")).toEqual(["after"]);
    expect(await it.status("o1")).toBe("failed");
    expect(await it.log("o2")).toEqual(words.slice(0, 5));
    await it.expectSound();
  });

  test("[M.K7.8-1] the timeline of a cell is what came in, its steps and effects", async () => {
    const it = await MachineInTest.begin(sandbox, open);
    await it.say("o1", "book");
    await it.say("o2", "throw");
    await it.say("o1", "look");
    const key = encodeCanonical("o1");
    const page = (after: number, limit: number) =>
      timelineOf(it.parts, { machine, key, after, limit });
    const { items, next } = await page(0, 100);
    const kinds = ["event", "step", "effect", "receipt", "step", "said"];
    expect(items.map(({ kind }) => kind)).toEqual([...kinds, ...kinds.slice(0, 5)]);
    expect(next).toBeNull();
    expect(items[0]).toMatchObject({ cause: null, record: { value: { id: "o1", say: "book" } } });
    expect(items[2]).toMatchObject({ record: { params: { connection: "shop", id: "o1" } } });
    expect(items[4]?.cause).toBe(items[3]?.seq);
    const first = await page(0, 7);
    const rest = await page(first.next ?? 0, 7);
    expect([...first.items, ...rest.items]).toEqual(items);
    const other = { machine, key: encodeCanonical("o2"), after: 0, limit: 9 };
    const failed = (await timelineOf(it.parts, other)).items;
    expect(failed.map(({ kind }) => kind)).toEqual(["event", "fault"]);
  });

  test("[M.P-5] a timer is a due time, and fires after a restart", async () => {
    const it = await MachineInTest.begin(sandbox, open);
    await it.say("o1", "wait");
    expect(await it.test.live()).toBeNull();
    it.test.now += 59_999;
    expect(await it.test.live()).toBeNull();
    it.test.now += 1;
    await it.test.live();
    expect(await it.log("o1")).toEqual(["wait", "sys/timer.set@1 ok"]);
    await it.say("o2", "blob");
    expect(await it.log("o2")).toEqual(["blob", "sys/blob.put@1 ok", "sys/blob.get@1 ok"]);
    await it.expectSound();
  });

  test("[M.P-5] [M.F-8] what a dead host was sending is found out, not sent", async () => {
    let dies = true;
    const it = await MachineInTest.begin(sandbox, open, {
      answer: () => {
        if (!dies) return { number: 5 };
        throw new HostDies();
      },
      guarantee: () => ({ canReconcile: true }),
      reconcile: () => ({ says: "applied", result: encodeCanonical({ number: 9 }) }),
    });
    await it.say("o1", "book");
    dies = false;
    expect((await listIntents(it.parts)).map(({ state }) => state)).toEqual(["in_flight"]);
    it.test.now += 600_000;
    await it.test.live();
    expect(it.sent).toEqual(["o1"]);
    expect(await it.log("o1")).toEqual(["book", "shop/book@1 ok"]);
    expect(await it.test.payloads("order.booked")).toMatchObject({});
    await it.expectSound();
  });

  test("[M.P-8] a definite failure is one error receipt, and nothing is sent again", async () => {
    const it = await MachineInTest.begin(sandbox, open, {
      answer: () => {
        throw new Fails("transient", "try later");
      },
    });
    await it.say("o1", "book");
    it.test.now += 3_600_000;
    await it.test.live();
    expect(it.sent).toEqual(["o1"]);
    expect(await it.log("o1")).toEqual(["book", "shop/book@1 error transient"]);
    expect(await it.test.questions()).toEqual([]);
    await it.expectSound();
  });

  test("[M.F-8] an unknown outcome asks a person, and other cells go on", async () => {
    let isLost = true;
    const it = await MachineInTest.begin(sandbox, open, {
      answer: () => {
        if (!isLost) return { number: 2 };
        isLost = false;
        throw new Fails("indeterminate", "no answer");
      },
    });
    await it.say("o1", "book");
    await it.say("o2", "book");
    expect(await it.log("o2")).toEqual(["book", "shop/book@1 ok"]);
    expect(await it.test.questions()).toEqual(["outcome_unknown"]);
    const [row] = (await it.test.rows("mutations")).filter(({ state }) => state !== "applied");
    const answer = { says: "happened", result: encodeCanonical({ number: 8 }) };
    const body = { mutationId: row?.mutationId, answer: { ...answer, seen: "" } };
    expect(await it.test.ask("resolve_mutation", body)).toBe("done");
    await it.test.live();
    expect(await it.log("o1")).toEqual(["book", "shop/book@1 ok"]);
    expect(await it.test.questions()).toEqual([]);
    await it.expectSound();
  });

  test("[M.F-7] [M.I-5] a poison event fails its own cell, until a restart", async () => {
    const it = await MachineInTest.begin(sandbox, open);
    for (const say of ["throw", "after"]) await it.tell("o1", say);
    await it.tell("o2", "loop");
    await it.say("o3", "book");
    expect(await it.status("o1")).toBe("failed");
    expect(await it.status("o2")).toBe("failed");
    expect(await it.log("o3")).toEqual(["book", "shop/book@1 ok"]);
    const asked = async () => {
      const open = (await it.test.rows("attentions")).filter(({ closedAt }) => closedAt === null);
      return open.map(({ note }) => note);
    };
    expect(await asked()).toEqual([
      expect.stringMatching(/^cell: orders\/order@1 o1 stopped: step\.threw: /),
      expect.stringMatching(/^cell: orders\/order@1 o2 stopped: step\.fuel/),
    ]);
    const restart = { machine, key: encodeCanonical("o1"), poison: "drop" };
    expect(await it.test.ask("restart_cell", restart)).toBe("done");
    expect(await it.log("o1")).toEqual(["after"]);
    expect(await asked()).toHaveLength(1);
    const again = { machine, key: encodeCanonical("o2"), poison: "redeliver" };
    expect(await it.test.ask("restart_cell", again)).toBe("done");
    expect(await asked()).toHaveLength(1);
    const [first, second, third] = await it.test.rows("attentions");
    expect([first, second]).toMatchObject([{ answer: "drop" }, { answer: "redeliver" }]);
    expect(third?.closedAt).toBeNull();
    const { items } = await listRecords(it.parts, { after: 0, limit: 100 });
    expect(items.flatMap(({ record }) => (record as { code?: string }).code ?? [])).toEqual([
      "step.threw",
      "step.fuel",
      "step.fuel",
    ]);
    await it.expectSound();
  });

  test("[M.E-13] [M.R-8] of two calls one is approved, one taken back", async () => {
    const it = await MachineInTest.begin(sandbox, open);
    const asks = encodeGrants([
      ...plainGrants("allow", ["shop.look"]),
      ...plainGrants("ask", ["shop.book"]),
    ]);
    await it.test.ask("set_envelope", { grants: asks });
    await it.say("o1", "two");
    expect(await it.test.questions()).toEqual(["approval", "approval"]);
    expect(it.sent).toEqual([]);
    const [first, second] = await it.test.rows("mutations");
    const why = await whyOf(it.test.store, "orders", first?.runId ?? "", it.test.now);
    expect(why).toMatchObject({ kind: "explained", why: { state: "waiting" } });
    const { payloadHash = "", previewHash = "" } = first?.approval ?? {};
    const agreed = { mutationId: first?.mutationId, payloadHash, previewHash };
    expect(await it.test.ask("approve_mutation", agreed)).toBe("done");
    const { id: firstId } = decodeCanonical(first?.payload.inline ?? new Uint8Array()) as {
      id: string;
    };
    expect(it.sent).toEqual([firstId]);
    await it.test.ask("cancel_intent", { intentId: second?.itemId });
    expect(await it.log("o1")).toEqual(["two", "shop/book@1 ok", "shop/book@1 error cancelled"]);
    expect(it.sent).toHaveLength(1);
    expect(await it.test.questions()).toEqual([]);
    await it.expectSound();
  });

  test("[R70] [R150] [R154] a brake that holds machines' calls asks one question", async () => {
    const it = await MachineInTest.begin(sandbox, open);
    const brake = { operation: "shop.book", reason: "the shop is closed" };
    const asked = async () => {
      const rows = await it.test.rows("attentions");
      return rows.map(({ subject, answer, note }) => ({ subject, answer, note }));
    };
    await it.test.ask("set_brake", brake);
    expect(await asked()).toEqual([]);
    await it.say("o1", "two");
    await it.say("o2", "book");
    const [first, second] = (await it.test.rows("mutations")).toSorted(
      (a, b) => a.recordedAt - b.recordedAt || a.callNo - b.callNo,
    );
    const { subject, note } = (await asked())[0] ?? {};
    expect(await asked()).toEqual([{ subject: first?.runId, answer: null, note }]);
    expect(note).toMatch(/^brake: shop.book on .* set by ada: the shop is closed$/);
    const { items } = await listQuestions(it.test.store, { after: null, limit: 9 });
    expect(items).toMatchObject([
      { answers: ["cancel"], heldBy: { ...brake, calls: 3 }, waiting: { events: 0 } },
    ]);
    // The cell goes on meanwhile, and so does what other operations are for.
    await it.say("o2", "look");
    expect(await it.log("o2")).toEqual(["book", "look", "shop/look@1 ok"]);
    // Taken back, the next one stands for those that are left.
    const intentId = (await it.test.rows("runs")).find(({ runId }) => runId === subject)?.itemId;
    // What it is known by is no item of a job's.
    expect(await it.test.ask("skip_item", { itemId: intentId })).toBe("item_is_processing");
    const again = { itemIds: [intentId] };
    expect(await it.test.ask("reprocess_items", again)).toBe("item_is_processing");
    await it.test.ask("cancel_intent", { intentId });
    expect((await asked()).map(({ answer }) => answer)).toEqual(["withdrawn", null]);
    expect((await asked())[1]?.subject).toBe(second?.runId);
    await it.test.ask("release_brake", { operation: brake.operation });
    expect((await asked()).map(({ answer }) => answer)).toEqual(["withdrawn", "released"]);
    expect(it.sent).toHaveLength(2);
    await it.expectSound();
  });

  test("[M.E-13] of a call that was sent the timeline says that a cancel was asked", async () => {
    const it = await MachineInTest.begin(sandbox, open, {
      answer: () => {
        throw new Fails("indeterminate", "no answer");
      },
    });
    await it.say("o1", "book");
    const [sent] = await it.test.rows("mutations");
    expect(await it.test.ask("cancel_intent", { intentId: sent?.itemId })).toBe("done");
    const query = { machine, key: encodeCanonical("o1"), after: 0, limit: 100 };
    const { items } = await timelineOf(it.parts, query);
    expect(items.map(({ kind }) => kind)).toEqual(["event", "step", "effect", "cancel_asked"]);
    expect((await listIntents(it.parts)).map(({ intentId }) => intentId)).toEqual([sent?.itemId]);
  });

  test("[M.F-8] [M.K7.8-6] a cell that ends drops its unsent call, and no sent one", async () => {
    let isLost = true;
    const it = await MachineInTest.begin(sandbox, open, {
      answer: () => {
        if (isLost) throw new Fails("indeterminate", "no answer");
        return { number: 1 };
      },
    });
    await it.say("o1", "book");
    isLost = false;
    await it.test.ask("set_brake", { operation: "shop.book", reason: "look" });
    await it.say("o1", "book");
    await it.say("o1", "end");
    expect((await it.test.rows("mutations")).map(({ state }) => state).toSorted()).toEqual([
      "failed",
      "indeterminate",
    ]);
    const [asked] = await it.test.rows("attentions");
    const answer = { says: "happened", result: encodeCanonical({ number: 8 }), seen: "" };
    await it.test.ask("resolve_mutation", { mutationId: asked?.subject, answer });
    expect(await it.status("o1")).toBeUndefined();
    const { items } = await listRecords(it.parts, { after: 0, limit: 100 });
    const names = items.map(({ record }) => (record as { name?: string }).name);
    expect(names.filter((name) => name === "workflow.receipt_ignored")).toHaveLength(2);
    const { continuations } = await summarizeMachines(it.parts);
    expect(continuations).toEqual({ ignored: 2 });
    await it.expectSound();
  });

  test("[M.R-10] a second call under one key has the result of the first", async () => {
    const it = await MachineInTest.begin(sandbox, open);
    await it.say("o1", "keyed");
    await it.say("o1", "keyed");
    expect(await it.log("o1")).toEqual(["keyed", "shop/book@1 ok", "keyed", "shop/book@1 ok"]);
    expect((await it.test.rows("mutations")).map(({ subkey }) => subkey)).toEqual(["once"]);
    expect(it.sent).toEqual(["o1"]);
    await it.expectSound();
  });

  test("[M.P-3] a frame that is not durable starts nothing, and later once", async () => {
    const it = await MachineInTest.begin(sandbox, open);
    await it.test.live();
    let failures = 2;
    it.test.way = (store) => refusingFrames(store, () => failures-- > 0);
    for (const [id, say] of [
      ["o1", "book"],
      ["o2", "look"],
    ] as const)
      await it.tell(id, say);
    const seen: number[] = [];
    onRefused = () => seen.push(it.sent.length + it.world.reads.length);
    await it.test.live();
    expect(seen).toEqual([0, 0]);
    expect(it.sent).toEqual(["o1"]);
    expect(it.world.reads).toEqual(["shop.look"]);
    expect(await it.log("o1")).toEqual(["book", "shop/book@1 ok"]);
    await it.expectSound();
  });
});

test("[M.K7.7-4] snapshots and what came after them end where the whole journal ends", async () => {
  const it = await MachineInTest.begin(sandbox, openStores.memory);
  it.test.policy = { ...policyDefaults, machineSnapshotRecords: 500 };
  for (let at = 0; at < 300; at++) await it.tell(`o${at % 30}`, at % 50 === 0 ? "book" : "hello");
  await it.test.live();
  const frames = await it.test.rows("machine_frames");
  expect(frames.some(({ snapshot }) => snapshot !== null)).toBe(true);
  await it.say("o1", "after the snapshot");
  expect(await it.log("o1")).toContain("after the snapshot");
  await it.test.deploy(machineSource.replace("default: return { state: next }", loud));
  await it.say("o1", "with another version");
  expect(await it.log("o1")).toContain("WITH ANOTHER VERSION");
  await it.expectSound();
});

/** Of these frames nobody knows whether they are durable, and they are not. */
function refusingFrames(store: Store, refuses: () => boolean): Store {
  return new Proxy(store, {
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key, target);
      if (key !== "commit") return typeof value === "function" ? value.bind(target) : value;
      return async (changes: Parameters<Store["commit"]>[0]) => {
        const isFrame = changes.some(({ rows }) =>
          rows.some((row) => row.op === "insert" && row.table === "machine_frames"),
        );
        if (!isFrame || !refuses()) return target.commit(changes);
        onRefused();
        return changes.map(() => ({ kind: "unknown", cause: "as the test wants" }) as const);
      };
    },
  });
}

let onRefused = (): void => {};
