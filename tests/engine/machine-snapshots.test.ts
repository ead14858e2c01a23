/** Snapshots that people ask for, and what the journal of machines shows of itself. */
import { contentHash, encodeCanonical, type MachineFrameRow, type Store } from "@holdfast/core";
import {
  awaitSnapshot,
  collectParts,
  listQuestions,
  listRecords,
  replayMachines,
  type ShownSnapshot,
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

async function take(it: MachineInTest): Promise<ShownSnapshot> {
  expect(await it.test.ask("snapshot_machines", {})).toBe("done");
  const { store, workflow } = it.test;
  const shown = await awaitSnapshot({ store, workflow }, { waitMs: 0, monotonicMs: () => 0 });
  if (shown === null) throw new Error("its turn has not come");
  return shown;
}

type Shown = { readonly [name: string]: unknown };

async function recordsOf(it: MachineInTest): Promise<readonly Shown[]> {
  const { items } = await listRecords(it.parts, { after: 0, limit: 500 });
  return items.map(({ record }) => record as Shown);
}

describe.each(Object.entries(openStores))("a snapshot that was asked for, on %s", (_, open) => {
  test("[M.K7.7-1] [M.K7.7-3] is taken with work open, and says what it is", async () => {
    const it = await MachineInTest.begin(sandbox, open);
    await it.say("o1", "wait");
    await it.say("o2", "hello");
    const first = await take(it);
    const [workflow] = await it.test.rows("workflows");
    expect(first).toMatchObject({
      height: workflow?.machineSeq,
      receiptHorizon: workflow?.machineSeq,
      manifestHash: workflow?.scriptHash,
      roots: [{ machine, cells: 2, hash: expect.stringMatching(/^sha256:/) }],
      previous: null,
    });
    await it.say("o2", "again");
    const second = await take(it);
    expect(second.previous?.ref).toBe(first.ref);
    expect(second.roots[0]?.hash).not.toBe(first.roots[0]?.hash);
    it.test.now += 60_000;
    await it.test.live();
    expect(await it.log("o1")).toEqual(["wait", "sys/timer.set@1 ok"]);
    const shown = (await recordsOf(it)).filter(({ kind }) => kind === "snapshot");
    expect(shown).toEqual([first, second].map(recordOf));
    await it.expectSound();
  });
});

function recordOf(given: ShownSnapshot): Shown {
  const { ref, height, receiptHorizon, logicalNowNs, manifestHash } = given;
  return {
    kind: "snapshot",
    snapshot_ref: ref,
    height,
    receipt_horizon_height: receiptHorizon,
    logical_now_ns: logicalNowNs,
    manifest_hash: manifestHash,
  };
}

/** A store whose snapshots lack the last receipts before them. */
function withoutReceipts(store: Store): Store {
  const short = (row: MachineFrameRow): MachineFrameRow => {
    if (row.snapshot === null) return row;
    const { inline } = row.snapshot;
    if (inline === null) throw new Error("the test's snapshots are small");
    return { ...row, snapshot: { ...row.snapshot, inline: shortened(inline, row.lastSeq) } };
  };
  return new Proxy(store, {
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key, target);
      if (key !== "listRows") return typeof value === "function" ? value.bind(target) : value;
      return async (query: Parameters<Store["listRows"]>[0]) => {
        const rows = await target.listRows(query);
        return query.list === "machineFrames" ? (rows as MachineFrameRow[]).map(short) : rows;
      };
    },
  });
}

function shortened(body: Uint8Array, lastSeq: number): Uint8Array {
  const [was, is] = [lastSeq, lastSeq - 1].map((receiptHorizon) => {
    return Buffer.from(encodeCanonical({ receiptHorizon })).subarray(4);
  });
  const bytes = Buffer.from(body);
  const at = bytes.indexOf(was ?? "");
  if (at === -1 || is === undefined) throw new Error("it says up to where it has receipts");
  is.copy(bytes, at);
  return bytes;
}

test("[M.K7.7-3] one that lacks receipts before its height is nothing to go on from", async () => {
  const it = await MachineInTest.begin(sandbox, openStores.memory);
  await it.say("o1", "hello");
  await take(it);
  const lacking = withoutReceipts(it.test.store);
  expect(await replayMachines({ ...it.parts, store: lacking })).toMatchObject({
    ok: false,
    code: "snapshot.horizon",
  });
  const policy = { machineSnapshotsKept: 1, machinePartGraceMs: 0 };
  const collecting = { ...it.parts, store: lacking, policy, monotonicMs: () => 0 };
  await expect(collectParts(collecting, { isDryRun: false })).rejects.toThrow("snapshot.horizon");
  it.test.way = withoutReceipts;
  await it.say("o1", "after");
  const { items } = await listQuestions(it.test.store, { after: null, limit: 9 });
  expect(JSON.stringify(items)).toContain("snapshot.horizon");
});

test("[M.K7.8-2] the journal shows each record by its kind, with what it is about", async () => {
  const it = await MachineInTest.begin(sandbox, openStores.memory);
  await it.say("o1", "book");
  await it.say("o2", "throw");
  await it.test.ask("restart_cell", { machine, key: encodeCanonical("o2"), poison: "drop" });
  await take(it);
  const all = await recordsOf(it);
  expect(new Set(all.map(({ kind }) => kind))).toEqual(
    new Set([
      ...["manifest", "domain_event", "step", "effect_intent", "effect_receipt", "custom"],
      ...["restart", "snapshot_asked", "snapshot"],
    ]),
  );
  const of = (kind: string) => all.find((each) => each["kind"] === kind);
  const text = expect.stringMatching(/^[0-9a-f]{64}$/);
  expect(of("effect_intent")).toMatchObject({
    intent_hash: text,
    effect: "shop/book@1",
    effect_hash: text,
    executor_module: "shop",
    executor_module_hash: contentHash("shop 1").replace("sha256:", ""),
    executor_entrypoint: "book",
    params: { connection: "shop", id: "o1" },
    idempotency_key: expect.anything(),
    machine,
    machine_hash: text,
    key: "o1",
    issuer_ref: null,
    emitted_at_seq: expect.any(Number),
  });
  expect(of("effect_receipt")).toMatchObject({
    intent_hash: text,
    machine,
    key: "o1",
    status: "ok",
  });
  expect(of("snapshot_asked")).toMatchObject({ outside: true, actor: "ada" });
  const { items, next } = await listRecords(it.parts, { after: 0, limit: 2 });
  expect(items).toHaveLength(2);
  const rest = await listRecords(it.parts, { after: next ?? 0, limit: 500 });
  expect([...items, ...rest.items].map(({ record }) => record)).toEqual(all);
});
