/** What machines keep: snapshots that hold what changed, cells that are not at hand, damage. */
import { type Hash, HostError, policyDefaults, type Store } from "@holdfast/core";
import { listCells, listQuestions, replayMachines, verify } from "@holdfast/host";
import { Sandbox } from "@holdfast/sandbox";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MachineInTest } from "./machine-in-test.ts";
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
});

/** A store in which the bytes of some hashes are gone, or others. */
function damaged(store: Store, by: (hash: Hash) => "BLOB_MISSING" | "BLOB_CORRUPT" | null): Store {
  return new Proxy(store, {
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key, target);
      if (key !== "loadBlob") return typeof value === "function" ? value.bind(target) : value;
      return async (workflow: string, hash: Hash) => {
        const code = by(hash);
        if (code === null) return target.loadBlob(workflow, hash);
        throw new HostError(code, { what: "as the test wants", remedy: "none", retry: "safe" });
      };
    },
  });
}

/** The parts that are read to know what there is; bodies of snapshots are none. */
async function partsOf(it: MachineInTest): Promise<readonly Hash[]> {
  const bodies = new Set((await snapshotsOf(it)).map(({ hash }) => hash));
  const read: Hash[] = [];
  const store = damaged(it.test.store, (hash) => {
    if (!bodies.has(hash)) read.push(hash);
    return null;
  });
  await listCells({ ...it.parts, store });
  expect(read.length).toBeGreaterThan(0);
  return read;
}

describe("[M.K7.7-2] [M.K7.5-1] a part that is not as it was kept", () => {
  test.each([
    ["BLOB_MISSING", "state.missing"],
    ["BLOB_CORRUPT", "state.altered"],
  ] as const)("%s stops the workflow with a question that says %s", async (code, said) => {
    const it = await begin(openStores.memory);
    for (let at = 0; at < 12; at++) await it.say(`o${at % 3}`, `${at}`);
    const parts = await partsOf(it);
    it.test.way = (store) => damaged(store, (hash) => (parts.includes(hash) ? code : null));
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
    const gone = damaged(store, (hash) => (parts.includes(hash) ? "BLOB_MISSING" : null));
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
