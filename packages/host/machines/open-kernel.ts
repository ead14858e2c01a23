import type { Hash, HostedMachines, HostedScript, MachineFrameRow, Store } from "@holdfast/core";
import {
  checkParts,
  type Divergence,
  emptyKernel,
  type Kernel,
  type MachineLimits,
  type MachineSet,
  noMachines,
  openSnapshot,
  replay,
  StateFault,
  takeSnapshot,
} from "@holdfast/core/machine";
import { bytesOf } from "../engine/values.ts";
import { ExecutorKeys } from "./executor-keys.ts";
import { decodeFrameBody, type EarlierSnapshot } from "./frame-body.ts";
import { checkLineage, findSnapshot, type KeptSnapshot, newestFirst } from "./kept-snapshots.ts";
import { PartReader } from "./part-reader.ts";
import { StepDriver } from "./step-driver.ts";

export type KernelParts = {
  readonly store: Pick<Store, "listRows" | "loadBlob" | "load">;
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
  readonly reader: PartReader;
  readonly last: LastSnapshot | null; // null = there is none
};

/** The snapshot that a kernel was opened from, or has come by since. */
export type LastSnapshot = EarlierSnapshot & {
  /** Number of the last record in it. */
  readonly seq: number;
  readonly bytes: number;
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

/** From the last snapshot on. Runs the steps since then again, and compares every byte. */
export async function openKernel(parts: KernelParts): Promise<OpenedKernel> {
  const tail: MachineFrameRow[] = [];
  let last: KeptSnapshot | null = null;
  for await (const row of newestFirst(parts)) {
    last = await findSnapshot(parts, row);
    if (last !== null) break;
    tail.unshift(row);
  }
  const again = new RunAgain(parts);
  if (last !== null) await again.snapshot(last, { mayBeCollected: false });
  await again.frames(tail);
  return again.opened();
}

/**
 * From the first record on. Wherever a snapshot was taken it has to be the kernel to the byte, and
 * what comes after is run from what it holds, if its parts are still there.
 */
export async function replayAll(parts: KernelParts): Promise<OpenedKernel> {
  const all: MachineFrameRow[] = [];
  for await (const row of newestFirst(parts)) all.push(row);
  all.reverse();
  const newest = all.findLastIndex(({ snapshot }) => snapshot !== null);
  const again = new RunAgain(parts);
  let waiting: MachineFrameRow[] = [];
  for (const [at, row] of all.entries()) {
    waiting.push(row);
    const snapshot = await findSnapshot(parts, row);
    if (snapshot === null) continue;
    await again.frames(waiting);
    waiting = [];
    await again.snapshot(snapshot, { mayBeCollected: at !== newest });
  }
  await again.frames(waiting);
  return again.opened();
}

/** A kernel on its way through its journal. */
class RunAgain {
  readonly #parts: KernelParts;
  readonly #versions: Versions;
  readonly #keys = new ExecutorKeys();
  readonly #reader: PartReader;
  readonly #driver: StepDriver;
  #kernel: Kernel;
  #last: LastSnapshot | null = null;

  constructor(parts: KernelParts) {
    this.#parts = parts;
    this.#versions = new Versions(parts.loadScript);
    this.#reader = new PartReader(parts);
    this.#driver = new StepDriver((hash) => this.#versions.of(hash), this.#reader);
    this.#kernel = emptyKernel(this.#options);
  }

  get #options() {
    return { keys: this.#keys, limits: machineLimits };
  }

  opened(): OpenedKernel {
    return {
      kernel: this.#kernel,
      keys: this.#keys,
      versions: this.#versions,
      driver: this.#driver,
      reader: this.#reader,
      last: this.#last,
    };
  }

  async frames(rows: readonly MachineFrameRow[]): Promise<void> {
    const { store, workflow } = this.#parts;
    const records: Uint8Array[] = [];
    for (const { body } of rows) {
      const read = decodeFrameBody(await bytesOf(store, workflow, body));
      for (const hash of read.versions) await this.#versions.load(hash);
      this.#keys.learn(read.keys);
      for (const each of read.records) records.push(each);
    }
    if (records.length === 0) return;
    const setOf = (hash: string) => this.#versions.of(hash).set;
    const again = replay(records, { ...this.#options, setOf, from: this.#kernel });
    const replayed = await this.#driver.drive(this.#kernel, again);
    if (!replayed.ok) throw new MachinesDiverge(replayed.divergence);
    this.#kernel = replayed.kernel;
  }

  /** The kernel after this frame; one that came there by itself has to be the same. */
  async snapshot(
    { row, hash, body }: KeptSnapshot,
    { mayBeCollected }: { readonly mayBeCollected: boolean },
  ): Promise<void> {
    const { firstSeq, lastSeq: seq } = row;
    if (body.previous !== null) await checkLineage(this.#parts, body.previous);
    if (this.#kernel.seq > 0) {
      const { bytes: made } = await this.#driver.drive(this.#kernel, takeSnapshot(this.#kernel));
      if (Buffer.compare(made, body.kernel) !== 0) {
        const recorded = body.kernel;
        throw new MachinesDiverge({ seq, code: "snapshot.differs", recorded, made });
      }
    }
    this.#keys.learn(body.keys);
    const set = await this.#versions.load(body.version);
    this.#last = { firstSeq, hash, seq, bytes: body.kernel.length };
    if (mayBeCollected && !(await this.#isWhole(body.kernel))) return;
    const opening = openSnapshot(body.kernel, { ...this.#options, set });
    this.#kernel = await this.#driver.drive(this.#kernel, opening);
    if (this.#kernel.seq === seq) return;
    throw new StateFault("snapshot.lineage", `it is of record ${this.#kernel.seq}, not ${seq}`);
  }

  /** Of one that nobody will open again parts may be gone; none may be altered. */
  async #isWhole(snapshot: Uint8Array): Promise<boolean> {
    try {
      await this.#driver.drive(this.#kernel, checkParts(snapshot));
      return true;
    } catch (error) {
      if (error instanceof StateFault && error.code === "state.missing") return false;
      throw error;
    }
  }
}
