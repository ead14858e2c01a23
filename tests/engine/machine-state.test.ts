/** What machines keep: snapshots that hold what changed, cells that are not at hand, damage. */
import { type Hash, policyDefaults, type Store } from "@holdfast/core";
import {
  type CellPage,
  type CellPageQuery,
  collectParts,
  listCells,
  listQuestions,
  pageCells,
  replayMachines,
  showMachines,
  verify,
} from "@holdfast/host";
import { Sandbox } from "@holdfast/sandbox";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MachineInTest, machine } from "./machine-in-test.ts";
import { openStores } from "./open-stores.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await Sandbox.open({ threadsMax: 1, limits: { fuelMax: 200 } });
});
afterAll(() => sandbox.close());

/** A snapshot with nearly every frame, and nothing at hand that a snapshot has. */
const frugal = { ...policyDefaults, machineSnapshotRecords: 4, machineResidentBytesMax: 1 };

async function begin(open: (typeof openStores)["memory"]): Promise<MachineInTest> {
  const it = await MachineInTest.begin(sandbox, open);
  it.test.policy = frugal;
  return it;
}

const snapshotsOf = async (it: MachineInTest) =>
  (await it.test.rows("machine_frames")).flatMap(({ snapshot }) => snapshot ?? []);

describe.each(Object.entries(openStores))("the state of machines on %s", (_, open) => {
  test("[M.K7.6-1] [M.K7.7-4] is the same though no cell stays at hand", async () => {
    const it = await begin(open);
    for (let at = 0; at < 40; at++) await it.tell(`o${at % 10}`, at % 9 === 0 ? "book" : `${at}`);
    await it.test.live();
    for (let at = 40; at < 60; at++) await it.say(`o${at % 10}`, `${at}`);
    expect((await snapshotsOf(it)).length).toBeGreaterThan(5);
    expect(await it.log("o1")).toEqual(["1", "11", "21", "31", "41", "51"]);
    expect(await it.log("o0")).toContain("shop/book@1 ok");
    expect(await listCells(it.parts)).toHaveLength(10);
    await it.expectSound();
  });

  test("[M.K7.7-1] comes to its next snapshot though nobody stays with it for long", async () => {
    const it = await begin(open);
    it.test.policy = policyDefaults;
    for (let at = 0; at < 100; at++) await it.tell(`o${at}`, `${at}`);
    await it.test.live();
    // Due from now on: more has changed than a small frame keeps, and each is another owner's.
    const [{ lastSeq = 0 } = {}] = (await it.test.rows("machine_frames")).slice(-1);
    it.test.policy = { ...policyDefaults, machineSnapshotRecords: lastSeq };
    expect(await snapshotsOf(it)).toHaveLength(0);
    for (let at = 0; at < 5; at++) await it.say("o1", `${at}`);
    expect(await snapshotsOf(it)).toHaveLength(1);
    await it.expectSound();
  });

  test("[M.K7.6-1] is told by pages, narrowed by status and by what is in a key", async () => {
    const it = await begin(open);
    for (let at = 0; at < 12; at++) await it.tell(`o${at}`, at === 3 ? "throw" : "hello");
    await it.test.live();
    const pages = async (query: Partial<CellPageQuery>) => {
      const found: unknown[] = [];
      let after = query.after ?? null;
      do {
        const asked = { machine: null, limit: 5, status: null, text: null, ...query, after };
        const page: CellPage = await pageCells(it.parts, asked);
        found.push(...page.items.map(({ key }) => key));
        after = page.next;
      } while (after !== null);
      return found;
    };
    const keys = (await listCells(it.parts)).map(({ key }) => key);
    expect(await pages({})).toEqual(Array.from({ length: 12 }, (_, at) => `o${at}`));
    // The same in the order of the index, as it is where there are many.
    const first = `${machine}~${"00".repeat(32)}`;
    expect((await pages({ after: first })).toSorted()).toEqual(keys.toSorted());
    expect(await pages({ status: "failed" })).toEqual(["o3"]);
    expect(await pages({ text: "O1", machine, limit: 2 })).toEqual(["o1", "o10", "o11"]);
    await expect(pages({ machine: "orders/none@1" })).resolves.toEqual([]);
    expect(await showMachines(it.parts)).toEqual([
      {
        machine,
        cells: 12,
        waiting: 1,
        openIntents: 0,
        failed: 1,
        isKeyed: true,
        isDeclared: true,
      },
    ]);
    const asked = { machine: null, limit: 5, status: null, text: null, after: "nowhere" };
    await expect(pageCells(it.parts, asked)).rejects.toThrow("No page ended at");
  });
});

test("[M.E-6] [M.F-7] a state of fifty megabytes stops its cell, and is not kept", async () => {
  const it = await begin(openStores.SQLite);
  await it.say("o1", "hello");
  await it.say("o1", "fifty megabytes");
  await it.say("o2", "hello");
  expect(await it.status("o1")).toBe("failed");
  expect(await it.log("o1")).toEqual(["hello"]);
  expect(await it.log("o2")).toEqual(["hello"]);
  const { store, workflow } = it.test;
  const hashes = await store.listParts(workflow, null, 10_000);
  const parts = await store.loadParts(workflow, hashes);
  expect(Math.max(...parts.map((bytes) => bytes?.length ?? 0))).toBeLessThan(1_000_000);
  await it.expectSound();
});

type Damage = "missing" | "altered";

/** A store in which some parts are gone, or others. */
function damaged(store: Store, by: (hash: Hash) => Damage | null): Store {
  return new Proxy(store, {
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key, target);
      if (key !== "loadParts") return typeof value === "function" ? value.bind(target) : value;
      return async (workflow: string, hashes: readonly Hash[]) => {
        const parts = await target.loadParts(workflow, hashes);
        return parts.map((bytes, at) => {
          const damage = by(hashes[at] as Hash);
          if (damage === null || bytes === null) return bytes;
          return damage === "missing" ? null : bytes.with(-1, 255 - (bytes.at(-1) ?? 0));
        });
      };
    },
  });
}

/** The parts that are read to know what there is. */
async function partsOf(it: MachineInTest): Promise<readonly Hash[]> {
  const read: Hash[] = [];
  const store = damaged(it.test.store, (hash) => {
    read.push(hash);
    return null;
  });
  await listCells({ ...it.parts, store });
  expect(read.length).toBeGreaterThan(0);
  return read;
}

describe("[M.K7.7-2] [M.K7.5-1] a part that is not as it was kept", () => {
  test.each([
    ["missing", "state.missing"],
    ["altered", "state.altered"],
  ] as const)("%s, it stops the workflow with a question: %s", async (damage, said) => {
    const it = await begin(openStores.memory);
    for (let at = 0; at < 12; at++) await it.say(`o${at % 3}`, `${at}`);
    const parts = await partsOf(it);
    it.test.way = (store) => damaged(store, (hash) => (parts.includes(hash) ? damage : null));
    const before = (await it.test.rows("machine_frames")).length;
    await it.say("o1", "after");
    const { items } = await listQuestions(it.test.store, { after: null, limit: 9 });
    expect(JSON.stringify(items)).toContain(said);
    expect((await it.test.rows("machine_frames")).length).toBe(before);
  });

  test("is found by replay and by verify, and neither changes anything", async () => {
    const it = await begin(openStores.memory);
    for (let at = 0; at < 12; at++) await it.say(`o${at % 3}`, `${at}`);
    const { store } = it.test;
    const parts = await partsOf(it);
    const gone = damaged(store, (hash) => (parts.includes(hash) ? "missing" : null));
    expect(await replayMachines({ ...it.parts, store: gone })).toMatchObject({
      ok: false,
      code: "state.missing",
    });
    expect(await replayMachines(it.parts)).toMatchObject({ ok: true });
    const found = JSON.stringify(await verify(gone, { full: true }));
    expect(found).toContain("the snapshot of machines after record");
    expect(JSON.stringify(await verify(store, { full: true }))).not.toContain("BLOB_");
  });
});

const graceMs = 60_000;

function collect(it: MachineInTest, given: { isDryRun?: boolean; kept?: number } = {}) {
  const { isDryRun = false, kept = 1 } = given;
  const policy = { machineSnapshotsKept: kept, machinePartGraceMs: graceMs };
  return collectParts({ ...it.parts, policy, monotonicMs: () => 0 }, { isDryRun });
}

const partCount = async (it: MachineInTest) =>
  (await it.test.store.listParts(it.test.workflow, null, 10_000)).length;

describe.each(Object.entries(openStores))("[M.K7.7-5] collecting parts on %s", (_, open) => {
  test("deletes what no kept snapshot names, after its grace, and nothing else", async () => {
    const it = await begin(open);
    for (let at = 0; at < 20; at++) await it.say(`o${at % 4}`, `${at}`);
    const all = await partCount(it);
    const young = await collect(it);
    expect(young).toMatchObject({ snapshots: 1, parts: all, swept: 0 });
    expect(young.unreachable).toBeGreaterThan(20);
    it.test.now += graceMs * 2;
    expect(young).toMatchObject({ waiting: young.unreachable, graceMs });
    expect(await collect(it, { isDryRun: true })).toEqual({
      ...young,
      waiting: null,
      blobs: { ...young.blobs, waiting: null },
    });
    expect(await partCount(it)).toBe(all);
    const wide = await collect(it, { kept: 3 });
    expect(wide.snapshots).toBe(3);
    expect(wide.unreachable).toBeLessThan(young.unreachable);
    const swept = await collect(it);
    expect(wide.swept + swept.swept).toBe(young.unreachable);
    // Each cell has a state, and one leaf leads to them.
    expect(await partCount(it)).toBe(5);
    expect(await collect(it)).toMatchObject({ unreachable: 0, swept: 0 });
    for (let at = 20; at < 28; at++) await it.say(`o${at % 4}`, `${at}`);
    expect(await it.log("o1")).toEqual(["1", "5", "9", "13", "17", "21", "25"]);
    await it.expectSound();
  });
});

describe("[M.K7.7-5] collecting parts", () => {
  test("follows references alone: a text that looks like one keeps nothing", async () => {
    const it = await begin(openStores.memory);
    for (let at = 0; at < 6; at++) await it.say("o1", `${at}`);
    const before = await it.test.store.listParts(it.test.workflow, null, 10_000);
    for (const hash of before) await it.say("o2", hash);
    it.test.now += graceMs * 2;
    await collect(it);
    const left = new Set(await it.test.store.listParts(it.test.workflow, null, 10_000));
    expect(before.filter((hash) => left.has(hash)).length).toBeLessThanOrEqual(1);
    expect(await it.log("o2")).toEqual(before);
    await it.expectSound();
  });

  test("deletes nothing where a kept snapshot is damaged, or where there is none", async () => {
    const it = await begin(openStores.memory);
    await it.say("o1", "1");
    expect(await collect(it)).toMatchObject({ swept: 0 });
    for (let at = 0; at < 12; at++) await it.say(`o${at % 3}`, `${at}`);
    const all = await partCount(it);
    it.test.now += graceMs * 2;
    const parts = await partsOf(it);
    const store = damaged(it.test.store, (hash) => (parts.includes(hash) ? "missing" : null));
    const policy = { machineSnapshotsKept: 1, machinePartGraceMs: 0 };
    const collecting = collectParts(
      { ...it.parts, store, policy, monotonicMs: () => 0 },
      { isDryRun: false },
    );
    await expect(collecting).rejects.toThrow("state.missing");
    expect(await partCount(it)).toBe(all);
  });

  test("leaves what is written while it goes on", async () => {
    const it = await begin(openStores.memory);
    for (let at = 0; at < 12; at++) await it.say(`o${at % 3}`, `${at}`);
    it.test.now += graceMs * 2;
    let isWorking = true;
    // A host goes on with the machines between the marking and the sweeping.
    const store = new Proxy(it.test.store, {
      get: (target, key) => {
        const value: unknown = Reflect.get(target, key, target);
        if (key !== "listParts") return typeof value === "function" ? value.bind(target) : value;
        return async (...asked: Parameters<Store["listParts"]>) => {
          if (isWorking) for (let at = 12; at < 24; at++) await it.say(`o${at % 3}`, `${at}`);
          isWorking = false;
          return target.listParts(...asked);
        };
      },
    });
    const policy = { machineSnapshotsKept: 1, machinePartGraceMs: 1 };
    const found = await collectParts(
      { ...it.parts, store, policy, monotonicMs: () => 0 },
      { isDryRun: false },
    );
    expect(found.swept).toBeGreaterThan(0);
    expect(await it.log("o1")).toHaveLength(8);
    await it.expectSound();
  });

  test("[M.K7.7-4] a journal whose older snapshots were collected replays as ever", async () => {
    const it = await begin(openStores.memory);
    for (let at = 0; at < 20; at++) await it.say(`o${at % 3}`, `${at}`);
    const before = await replayMachines(it.parts);
    expect(before).toMatchObject({ ok: true });
    it.test.now += graceMs * 2;
    expect((await collect(it)).swept).toBeGreaterThan(0);
    expect(await replayMachines(it.parts)).toEqual(before);
  });
});
