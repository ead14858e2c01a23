/** A snapshot of much that changed is kept in pieces, with the frames before it. */
import { type Change, policyDefaults, type Store } from "@holdfast/core";
import { type CollectedParts, collectParts, verify } from "@holdfast/host";
import { Sandbox } from "@holdfast/sandbox";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MachineInTest } from "./machine-in-test.ts";
import { openStores } from "./open-stores.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await Sandbox.open({ threadsMax: 1, limits: { fuelMax: 200 } });
});
afterAll(() => sandbox.close());

/** Frames have some five hundred records: the next snapshot is due in the midst of them. */
const policy = { ...policyDefaults, machineSnapshotRecords: 3_000 };
const cellCount = 2_500;

type Kept = { readonly partCount: number; readonly hasSnapshot: boolean };

/** Tells of every change that keeps parts, before the next one begins. */
function watched(store: Store, kept: (partCount: number) => Promise<void>): Store {
  return new Proxy(store, {
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key, target);
      if (key !== "commit") return typeof value === "function" ? value.bind(target) : value;
      return async (changes: readonly Change[]) => {
        const answers = await target.commit(changes);
        for (const { parts = [] } of changes) if (parts.length > 0) await kept(parts.length);
        return answers;
      };
    },
  });
}

const snapshotCount = async (it: MachineInTest) =>
  (await it.test.rows("machine_frames")).filter(({ snapshot }) => snapshot !== null).length;

/** One snapshot is there; then every cell changes, in one life. */
async function live(
  open: (typeof openStores)["memory"],
  onKept: (it: MachineInTest, kept: Kept) => Promise<void>,
): Promise<MachineInTest> {
  const it = await MachineInTest.begin(sandbox, open);
  it.test.policy = policy;
  for (let at = 0; at < 3; at++) await it.say(`o${at}`, "before");
  await it.test.ask("snapshot_machines", {});
  for (let at = 0; at < cellCount; at++) await it.tell(`o${at}`, `${at}`);
  const before = await snapshotCount(it);
  it.test.way = (store) =>
    watched(store, async (partCount) => {
      await onKept(it, { partCount, hasSnapshot: (await snapshotCount(it)) > before });
    });
  await it.test.live();
  it.test.way = (store) => store;
  return it;
}

async function expectWhole(it: MachineInTest): Promise<void> {
  await it.expectSound();
  expect(JSON.stringify(await verify(it.test.store, { full: true }))).not.toContain("BLOB_");
  await it.say("o1", "after");
  expect(await it.log("o1")).toEqual(["before", "1", "after"]);
}

describe.each(Object.entries(openStores))("a snapshot in pieces on %s", (_, open) => {
  test("[M.K7.7-1] is spread over frames, and is the kernel to the byte", async () => {
    const kept: Kept[] = [];
    const it = await live(open, async (_it, each) => void kept.push(each));
    const first = kept.findIndex(({ hasSnapshot }) => hasSnapshot);
    expect(first).toBeGreaterThan(0);
    await expectWhole(it);
  });
});

test("[M.K7.7-5] begins anew when its pieces lay there for longer than they may", async () => {
  let collected: CollectedParts | null = null;
  const kept: Kept[] = [];
  const it = await live(openStores.memory, async (own, each) => {
    kept.push(each);
    if (each.hasSnapshot || collected !== null) return;
    // The host stands still after the first piece, and somebody collects.
    own.test.now += policy.machinePartGraceMs + 1;
    const parts = { ...own.parts, policy, monotonicMs: () => 0 };
    collected = await collectParts(parts, { isDryRun: false });
  });
  expect(collected).toMatchObject({ swept: kept[0]?.partCount });
  expect(kept.some(({ hasSnapshot }) => hasSnapshot)).toBe(true);
  await expectWhole(it);
});
