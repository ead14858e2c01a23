/**
 * A workflow with a great many cells, without the steps that would have made them: their states are
 * put into a kernel, kept as any kernel keeps them, and its snapshot is the workflow's.
 */
import { createHash } from "node:crypto";
import { encodeCanonical, type Hash } from "@holdfast/core";
import {
  createKernel,
  type Kernel,
  keepState,
  type Part,
  putAway,
  serve,
  takeSnapshot,
} from "@holdfast/core/machine";
import { PartReader, WorkflowOwner } from "@holdfast/host";
import { encodeFrameBody, encodeSnapshotBody } from "@holdfast/host/testing";
import { type MachineWorld, workflow } from "../machines/machine-world.ts";

const cellsMachine = `${workflow}/cells@1`;
/** Cells whose states and nodes are one change. */
const batchSize = 20_000;

export const cellName = (id: number) => `cell-${id}`;

type Seed = { readonly key: Uint8Array; readonly place: string };

/** In the order of the index, so that each of its nodes is written about once. */
function seedsOf(count: number): readonly Seed[] {
  const seeds = Array.from({ length: count }, (_, id) => {
    const key = encodeCanonical(cellName(id));
    return { key, place: createHash("sha256").update(key).digest("hex") };
  });
  return seeds.sort((left, right) => (left.place < right.place ? -1 : 1));
}

const sample = { nowNs: 0n, entropy: new Uint8Array(64) };
const keys = { moduleOf: () => null, verify: () => false };

/** The world has its first version and nothing else. */
export async function seedCells(world: MachineWorld, count: number): Promise<void> {
  const { store } = world;
  const { machines } = world.script.hosted;
  if (machines === undefined) throw new Error("the script has machines");
  const kernel = createKernel({ set: machines.set, keys }, sample);
  kernel.takeFrame();
  await world.askForSnapshot();
  const life = await world.begin();
  const reader = new PartReader({ store, workflow });
  const keep = async (parts: readonly Part[]): Promise<void> => {
    reader.remember(parts);
    const { head } = await store.load(workflow, []);
    const nothing = { records: [], rows: [], blobs: [], settledBelow: [], budgets: [] };
    const times = { dueAt: null, trace: null, forgetTracesThrough: null };
    const change = { workflow, epoch: life.epoch, expectedHead: head.seq, parts };
    const [answer] = await store.commit([{ ...change, ...nothing, ...times }]);
    if (answer?.kind !== "committed") throw new Error(JSON.stringify(answer));
  };
  const seeds = seedsOf(count);
  for (let at = 0; at < count; at += batchSize) {
    for (const [index, { key }] of seeds.slice(at, at + batchSize).entries()) {
      put(kernel, key, at + index);
    }
    const { parts } = await reader.drive(takeSnapshot(kernel));
    await keep(parts);
    putAway(kernel, 0);
  }
  const owner = new WorkflowOwner(store, { workflow, epoch: life.epoch });
  const { machineSeq } = (await owner.loadView()).load("workflows");
  if (machineSeq !== kernel.seq) throw new Error(`it has ${machineSeq} records already`);
  await keepFrame(owner, kernel, machines.set.manifestHash);
  await life.end();
}

/** No two states are the same bytes. */
function put(kernel: Kernel, key: Uint8Array, at: number): void {
  const cell = kernel.cellFor(cellsMachine, key);
  cell.isAway = false;
  cell.lastEventSeq = 1;
  cell.moduleVersion = kernel.set.moduleVersion;
  keepState(kernel, cell, encodeCanonical({ count: 1, last: `order-${at}`, total: 7 }));
}

/** One record, and a snapshot behind it. */
async function keepFrame(owner: WorkflowOwner, kernel: Kernel, version: Hash): Promise<void> {
  const asked = { input: { kind: "snapshot", actor: "bench" } as const, sample };
  const { done, value } = serve(kernel, [asked], { turnsMax: 0 }).next();
  if (done !== true || value.frame === null) throw new Error("a wish is a record");
  const { firstSeq, lastSeq, records } = value.frame;
  const taken = takeSnapshot(kernel).next();
  if (taken.done !== true) throw new Error("nothing has changed");
  const named = { version, keys: [], receiptHorizon: lastSeq, previous: null };
  const snapshot = encodeSnapshotBody({ kernel: taken.value.bytes, ...named });
  const body = encodeFrameBody({ records, keys: [], versions: [] });
  const frame = { firstSeq, lastSeq, body, snapshot };
  const none = { served: [], refused: [], publishes: [], cells: [], blobs: [], parts: [] };
  const command = { kind: "commit_frame", frame, ...none, dueAt: null } as const;
  const executed = await owner.execute([command], Date.now());
  if (executed.kind !== "done") throw new Error(JSON.stringify(executed));
}
