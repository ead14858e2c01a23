import type { Hash, HostedMachines, HostedScript, MachineFrameRow, Store } from "@holdfast/core";
import {
  type Divergence,
  emptyKernel,
  type Kernel,
  type MachineLimits,
  type MachineSet,
  noMachines,
  openSnapshot,
  replay,
} from "@holdfast/core/machine";
import { bytesOf } from "../engine/values.ts";
import { ExecutorKeys } from "./executor-keys.ts";
import { decodeFrameBody, decodeSnapshotBody, type FrameBody } from "./frame-body.ts";
import { StepDriver } from "./step-driver.ts";

export type KernelParts = {
  readonly store: Pick<Store, "listRows" | "loadBlob">;
  readonly workflow: string;
  /** Of any version that was ever deployed. */
  readonly loadScript: (hash: string) => Promise<HostedScript>;
};

/**
 * How much may be open at once. Every open call of a machine is in the view of its owner, so it is
 * fewer than the kernel could bear. Replay goes by the same numbers.
 */
export const machineLimits: Partial<MachineLimits> = {
  openIntentsMax: 1_000,
  openIntentsPerCellMax: 200,
  openIntentsPerEffectMax: 1_000,
};

/** A kernel as its journal has it, and what it takes to go on with it. */
export type OpenedKernel = {
  readonly kernel: Kernel;
  readonly keys: ExecutorKeys;
  readonly versions: Versions;
  /** Number of the last record in a snapshot; 0 = there is none. */
  readonly snapshotSeq: number;
};

/** The journal does not lead to where it says it does: nothing of it may go on. */
export class MachinesDiverge extends Error {
  override readonly name = "MachinesDiverge";
  readonly divergence: Divergence;

  constructor(divergence: Divergence) {
    super(`The machines' journal cannot be run again: ${divergence.code} at ${divergence.seq}`);
    this.divergence = divergence;
  }
}

/** Versions by hash: each is loaded before anything asks for it. */
export class Versions {
  readonly #loadScript: KernelParts["loadScript"];
  readonly #machines = new Map<string, HostedMachines>();

  constructor(loadScript: KernelParts["loadScript"]) {
    this.#loadScript = loadScript;
  }

  async load(hash: Hash): Promise<MachineSet> {
    const known = this.#machines.get(hash);
    if (known !== undefined) return known.set;
    const { machines = none(hash) } = await this.#loadScript(hash);
    this.#machines.set(hash, machines);
    return machines.set;
  }

  of(hash: string): HostedMachines {
    const found = this.#machines.get(hash);
    if (found === undefined) throw new Error(`version ${hash} was not loaded`);
    return found;
  }
}

/** Of a version that has no machines any more. */
function none(hash: Hash): HostedMachines {
  return { set: noMachines(hash), run: async () => [] };
}

const framesPerPage = 50;

/** From the last snapshot on. Runs the steps since then again, and compares every byte. */
export async function openKernel(parts: KernelParts): Promise<OpenedKernel> {
  const tail: MachineFrameRow[] = [];
  for await (const row of newestFirst(parts)) {
    tail.unshift(row);
    if (row.snapshot !== null) break;
  }
  const [first] = tail;
  return runAgain(parts, first?.snapshot == null ? tail : tail.slice(1), first ?? null);
}

/** From the first record on, whatever snapshots there are. */
export async function replayAll(parts: KernelParts): Promise<OpenedKernel> {
  const all: MachineFrameRow[] = [];
  for await (const row of newestFirst(parts)) all.unshift(row);
  return runAgain(parts, all, null);
}

async function* newestFirst({ store, workflow }: KernelParts): AsyncGenerator<MachineFrameRow> {
  let after: readonly number[] | null = null;
  for (;;) {
    const query = { workflow, list: "machineFrames", of: [], after, downTo: null } as const;
    const rows: readonly MachineFrameRow[] = await store.listRows({
      ...query,
      limit: framesPerPage,
    });
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < framesPerPage) return;
    after = [last.firstSeq];
  }
}

async function runAgain(
  parts: KernelParts,
  frames: readonly MachineFrameRow[],
  from: MachineFrameRow | null,
): Promise<OpenedKernel> {
  const { store, workflow } = parts;
  const versions = new Versions(parts.loadScript);
  const keys = new ExecutorKeys();
  const bodies: FrameBody[] = [];
  for (const { body } of frames) {
    bodies.push(decodeFrameBody(await bytesOf(store, workflow, body)));
  }
  for (const { versions: named } of bodies) for (const hash of named) await versions.load(hash);
  for (const body of bodies) keys.learn(body.keys);
  const options = { keys, limits: machineLimits };
  let start = emptyKernel(options);
  if (from?.snapshot != null) {
    const body = decodeSnapshotBody(await bytesOf(store, workflow, from.snapshot));
    keys.learn(body.keys);
    start = openSnapshot(body.kernel, { ...options, set: await versions.load(body.version) });
  }
  const records = bodies.flatMap((body) => body.records);
  const driver = new StepDriver((hash) => versions.of(hash));
  const setOf = (hash: string) => versions.of(hash).set;
  const again = replay(records, { ...options, setOf, from: start });
  const replayed = await driver.drive(start, again);
  if (!replayed.ok) throw new MachinesDiverge(replayed.divergence);
  const snapshotSeq = from?.snapshot == null ? 0 : from.lastSeq;
  return { kernel: replayed.kernel, keys, versions, snapshotSeq };
}
