import type { Hash, HostedMachines, HostedScript, MachineFrameRow, Store } from "@holdfast/core";
import {
  emptyKernel,
  type Kernel,
  type MachineLimits,
  type MachineSet,
  noMachines,
  openSnapshot,
  replay,
  takeSnapshot,
} from "@holdfast/core/machine";
import { bytesOf } from "../engine/values.ts";
import { ExecutorKeys } from "./executor-keys.ts";
import { decodeFrameBody, decodeSnapshotBody } from "./frame-body.ts";
import { KeptBlobs } from "./kept-blobs.ts";
import { MachinesDiverge } from "./machines-diverge.ts";
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
  readonly driver: StepDriver;
  /** Number of the last record in a snapshot; 0 = there is none. */
  readonly snapshotSeq: number;
};

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
  for await (const row of framesNewestFirst(parts)) {
    tail.unshift(row);
    if (row.snapshot !== null) break;
  }
  const [first] = tail;
  const again = new RunAgain(parts);
  if (first?.snapshot == null) await again.frames(tail);
  else {
    await again.snapshot(first);
    await again.frames(tail.slice(1));
  }
  return again.opened(first?.snapshot == null ? 0 : first.lastSeq);
}

/**
 * As it was after a record that nothing of the same input or turn came behind. Throws
 * `MachinesDiverge` (`journal.cut`) for one in the midst of what belongs together.
 */
export async function openKernelAt(parts: KernelParts, height: number): Promise<OpenedKernel> {
  const rows: MachineFrameRow[] = [];
  let from: MachineFrameRow | null = null;
  for await (const row of framesNewestFirst(parts)) {
    if (row.firstSeq > height) continue;
    if (row.snapshot !== null && row.lastSeq <= height) {
      from = row;
      break;
    }
    rows.unshift(row);
  }
  const again = new RunAgain(parts);
  if (from !== null) await again.snapshot(from);
  await again.frames(rows, height);
  return again.opened(from?.lastSeq ?? 0);
}

/**
 * From the first record on. Where the last snapshot was taken it has to be the kernel to the byte,
 * and what comes after is run from what it holds.
 */
export async function replayAll(parts: KernelParts): Promise<OpenedKernel> {
  const all: MachineFrameRow[] = [];
  for await (const row of framesNewestFirst(parts)) all.push(row);
  all.reverse();
  const last = all.findLastIndex(({ snapshot }) => snapshot !== null);
  const again = new RunAgain(parts);
  await again.frames(all.slice(0, last + 1));
  const kept = all[last];
  if (kept !== undefined) await again.snapshot(kept);
  await again.frames(all.slice(last + 1));
  return again.opened(kept?.lastSeq ?? 0);
}

export async function* framesNewestFirst({
  store,
  workflow,
}: KernelParts): AsyncGenerator<MachineFrameRow> {
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

/** A kernel on its way through its journal. */
class RunAgain {
  readonly #parts: KernelParts;
  readonly #versions: Versions;
  readonly #keys = new ExecutorKeys();
  readonly #driver: StepDriver;
  #kernel: Kernel;

  constructor(parts: KernelParts) {
    this.#parts = parts;
    this.#versions = new Versions(parts.loadScript);
    this.#driver = new StepDriver((hash) => this.#versions.of(hash));
    this.#kernel = emptyKernel(this.#options);
  }

  get #options() {
    return { keys: this.#keys, limits: machineLimits };
  }

  opened(snapshotSeq: number): OpenedKernel {
    const [kernel, keys, versions, driver] = [
      this.#kernel,
      this.#keys,
      this.#versions,
      this.#driver,
    ];
    return { kernel, keys, versions, driver, snapshotSeq };
  }

  /** `upTo`: no record beyond it. */
  async frames(rows: readonly MachineFrameRow[], upTo = Number.MAX_SAFE_INTEGER): Promise<void> {
    const { store, workflow } = this.#parts;
    let records: Uint8Array[] = [];
    let kept = new KeptBlobs(this.#parts);
    for (const { body, firstSeq } of rows) {
      const read = decodeFrameBody(await bytesOf(store, workflow, body));
      for (const hash of read.versions) await this.#versions.load(hash);
      this.#keys.learn(read.keys);
      for (const each of read.records.slice(0, upTo - firstSeq + 1)) records.push(each);
      for (const hash of read.kept ?? []) await kept.load(hash, firstSeq);
      if (kept.isMuch) {
        await this.#run(records, kept);
        [records, kept] = [[], new KeptBlobs(this.#parts)];
      }
    }
    await this.#run(records, kept);
  }

  async #run(records: readonly Uint8Array[], blobs: KeptBlobs): Promise<void> {
    if (records.length === 0) return;
    const setOf = (hash: string) => this.#versions.of(hash).set;
    const kept = (hash: Hash) => blobs.find(hash);
    const again = replay(records, { ...this.#options, setOf, kept, from: this.#kernel });
    const replayed = await this.#driver.drive(this.#kernel, again);
    if (!replayed.ok) throw new MachinesDiverge(replayed.divergence);
    this.#kernel = replayed.kernel;
  }

  /** The kernel after this frame; one that came there by itself has to be the same. */
  async snapshot({ snapshot, lastSeq: seq }: MachineFrameRow): Promise<void> {
    const { store, workflow } = this.#parts;
    if (snapshot === null) return;
    const body = decodeSnapshotBody(await bytesOf(store, workflow, snapshot));
    const isAway = this.#kernel.seq > 0;
    if (isAway && Buffer.compare(takeSnapshot(this.#kernel), body.kernel) !== 0) {
      const [recorded, made] = [body.kernel, takeSnapshot(this.#kernel)];
      throw new MachinesDiverge({ seq, code: "snapshot.differs", recorded, made });
    }
    this.#keys.learn(body.keys);
    const set = await this.#versions.load(body.version);
    this.#kernel = openSnapshot(body.kernel, { ...this.#options, set });
  }
}
