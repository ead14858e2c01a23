import { insertRow, type Loaded } from "@holdfast/core";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { Owner } from "../testing/change-builder.ts";
import { topicRow } from "../testing/row-builder.ts";
import type { PostgresStore } from "./postgres-store.ts";
import { HeldRow } from "./testing/held-row.ts";
import { type CutPlace, CuttingProxy } from "./testing/index.ts";
import { databaseInTest, openInTest } from "./testing/store-in-test.ts";

let url: string;
let proxy: CuttingProxy;
let store: PostgresStore;
let owner: Owner;

const parts = { rows: [insertRow("topics", topicRow("landed"))] };

beforeEach(async () => {
  url = (await databaseInTest()).url;
  proxy = await CuttingProxy.start(url);
  onTestFinished(() => proxy.stop());
  store = await openInTest({ url: proxy.url(), onTrouble: () => {} });
  owner = await Owner.create(store);
  await owner.persist();
});

function load(): Promise<Loaded> {
  return store.load("orders", [{ kind: "row", table: "topics", key: ["landed"] }]);
}

function commitSql() {
  return { matching: /commit_(group|each)_1/ };
}

const places: readonly { readonly place: CutPlace; readonly landed: boolean }[] = [
  { place: { at: "before" }, landed: false },
  { place: { at: "mid-request", bytes: 1 }, landed: false },
  { place: { at: "mid-request", bytes: 1_000_000 }, landed: false },
  { place: { at: "after-request" }, landed: true },
  { place: { at: "mid-response", bytes: 0 }, landed: true },
  { place: { at: "mid-response", bytes: 20 }, landed: true },
];

describe("a commit whose connection is cut", () => {
  test.each(places)(
    "[R157] $place.at is unknown, and the reload says what became of it: landed $landed",
    async ({ place, landed }) => {
      for (const how of ["close", "reset"] as const) {
        const before = owner.head.seq;
        const { settled } = proxy.plan({ place, how, ...commitSql() });
        const change = how === "close" ? parts : {};
        const answer = await owner.commit(change);
        expect(answer).toMatchObject({ kind: "unknown", cause: { code: "STORE_UNREACHABLE" } });
        await settled;
        const { head, rows, absent } = await load();
        expect(head.seq).toBe(landed ? before + 1 : before);
        expect([rows.length, absent.length]).toEqual(landed ? [1, 0] : [0, 1]);
        // What was decided on the old head comes too late if the other one landed.
        const again = await owner.commit();
        expect(again.kind).toBe(landed ? "conflict" : "committed");
        owner = await Owner.of(store, "orders");
      }
    },
  );

  test("[R157] is unknown for every change of its group, and for no other", async () => {
    const others = [await Owner.create(store, "b"), await Owner.create(store, "c")];
    const { settled } = proxy.plan({ place: { at: "after-request" }, ...commitSql() });
    const answers = await store.commit([owner, ...others].map((each) => each.change()));
    expect(answers.map(({ kind }) => kind)).toEqual(["unknown", "unknown", "unknown"]);
    await settled;
    const calm = await Owner.create(store, "calm");
    await calm.persist();
    for (const workflow of ["b", "c"]) {
      expect((await store.load(workflow, [])).head.seq).toBe(1);
    }
  });

  test("[R157] is unknown too when it goes through savepoints", async () => {
    const stray = await Owner.create(store, "stray");
    const plan = { place: { at: "after-request" }, matching: /commit_each_1/ } as const;
    const { settled } = proxy.plan(plan);
    const answers = await store.commit([stray.change({ epoch: 9 }), owner.change(parts)]);
    expect(answers.map(({ kind }) => kind)).toEqual(["unknown", "unknown"]);
    await settled;
    expect((await load()).head.seq).toBe(2);
    expect((await store.load("stray", [])).head.seq).toBe(0);
  });
});

describe("a load after an unknown commit", () => {
  /** The server has the request and works on it, while its client is gone. */
  async function leaveGhost(): Promise<HeldRow> {
    await Owner.create(store, "zebra");
    // The ghost has locked orders when it comes to zebra, which somebody else holds.
    const held = await HeldRow.hold(url, "zebra");
    const { hit } = proxy.plan({ place: { at: "after-request" }, ...commitSql() });
    const zebra = await Owner.of(store, "zebra");
    const answers = store.commit([owner.change(parts), zebra.change()]);
    await hit;
    expect((await answers).map(({ kind }) => kind)).toEqual(["unknown", "unknown"]);
    await held.isWaitedFor();
    return held;
  }

  test("[R157] waits for the ghost and has its change in it", async () => {
    const held = await leaveGhost();
    let isLoaded = false;
    const loading = load().then((loaded) => {
      isLoaded = true;
      return loaded;
    });
    // The ghost waits for the holder, and the load for the ghost.
    await held.isWaitedFor(2);
    expect(isLoaded).toBe(false);
    await held.letGo();
    const { head, rows } = await loading;
    expect(head.seq).toBe(2);
    expect(rows).toMatchObject([{ table: "topics", row: { name: "landed" } }]);
  });

  test("waits no more once a later commit was answered", async () => {
    const held = await leaveGhost();
    const loading = load();
    await held.isWaitedFor(2);
    await held.letGo();
    await loading;
    expect(await owner.commit()).toMatchObject({ kind: "conflict" });
    const again = await HeldRow.hold(url, "orders");
    await load();
    await again.letGo();
  });

  test("of another workflow does not wait", async () => {
    await Owner.create(store, "calm");
    const held = await leaveGhost();
    expect((await store.load("calm", [])).head.seq).toBe(0);
    await held.letGo();
  });

  test("that fails has not seen it, and the next one waits as well", async () => {
    const held = await leaveGhost();
    const { settled } = proxy.plan({ place: { at: "before" }, matching: /load_locked_9/ });
    await expect(load()).rejects.toMatchObject({ code: "STORE_UNREACHABLE" });
    await settled;
    const loading = load();
    await held.isWaitedFor(2);
    await held.letGo();
    expect((await loading).head.seq).toBe(2);
  });

  test("that does not wait would see the workflow as it was, which is why it must", async () => {
    const held = await leaveGhost();
    const other = await openInTest({ url });
    expect((await other.load("orders", [])).head.seq).toBe(1);
    await held.letGo();
  });
});

test("a commit that reaches the server after the reload changes nothing unseen", async () => {
  const planned = proxy.plan({ place: { at: "hold-then-deliver" }, ...commitSql() });
  expect(await owner.commit(parts)).toMatchObject({ kind: "unknown" });
  expect((await load()).head.seq).toBe(1);
  await planned.deliver();
  // It was decided on the head that is still there, so it lands; whoever decided meanwhile is told.
  expect(await owner.commit()).toEqual({ kind: "conflict", head: 2 });
  expect((await load()).head.seq).toBe(2);
});

test("a commit that reaches the server after another took its place is gone for good", async () => {
  const planned = proxy.plan({ place: { at: "hold-then-deliver" }, ...commitSql() });
  expect(await owner.commit(parts)).toMatchObject({ kind: "unknown" });
  await load();
  await owner.persist();
  await planned.deliver();
  const { head, absent } = await load();
  expect([head.seq, absent.length]).toEqual([2, 1]);
});
