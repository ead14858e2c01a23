import type { Hash, HostedMachines, HostedScript, MachineFrameRow, Store } from "@holdfast/core";
import {
  checkParts,
  emptyKernel,
  type Kernel,
  type MachineLimits,
  type MachineSet,
  noMachines,
  openSnapshot,
  recallRoots,
  replay,
  StateFault,
  StepEnded,
  takeSnapshot,
} from "@holdfast/core/machine";
import { bytesOf } from "../engine/values.ts";
import { ExecutorKeys } from "./executor-keys.ts";
import { decodeFrameBody, type EarlierSnapshot } from "./frame-body.ts";
import { KeptBlobs } from "./kept-blobs.ts";
import { checkLineage, findSnapshot, type KeptSnapshot, newestFirst } from "./kept-snapshots.ts";
import { MachinesDiverge } from "./machines-diverge.ts";
import { PartReader } from "./part-reader.ts";
import { StepDriver } from "./step-driver.ts";
import { stepTooSlow } from "./step-too-slow.ts";

export type KernelParts = {
  readonly store: Pick<Store, "listRows" | "loadBlob" | "loadParts" | "load">;
  readonly workflow: string;
  /** Of any version that was ever deployed. */
  readonly loadScript: (hash: string) => Promise<HostedScript>;
};

/**
 * How much may be open at once. Every open call of a machine is in the view of its owner, so it is
 * fewer than the kernel could bear. Replay goes by the same numbers.
 */
export const openIntentsMax = 1_000;
export const machineLimits: Partial<MachineLimits> = {
  openIntentsMax,
  openIntentsPerCellMax: 200,
  openIntentsPerEffectMax: openIntentsMax,
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
  /** Of the parts that were written with it; 0 = nobody here has seen it. */
  readonly partBytes: number;
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
  return { set: noMachines(hash), run: async () => [], migrate: async () => [] };
}

/** From the last snapshot on. Runs the steps since then again, and compares every byte. */
export async function openKernel(parts: KernelParts): Promise<OpenedKernel> {
  return (await followKernel(parts, null)).again.opened();
}

/** A kernel that was opened, and the frame it has come to. */
export type FollowedKernel = {
  readonly again: RunAgain;
  readonly frame: MachineFrameRow | null; // null = there is none yet
};

/**
 * Goes on from where it was before with what came since; null = it was nowhere. It is opened anew
 * where a snapshot was taken since: what it would hold beyond that would only grow.
 */
export async function followKernel(
  parts: KernelParts,
  before: FollowedKernel | null,
): Promise<FollowedKernel> {
  const tail: MachineFrameRow[] = [];
  let last: KeptSnapshot | null = null;
  let isKnown = false;
  for await (const row of newestFirst(parts)) {
    isKnown = before?.frame != null && isSameFrame(row, before.frame);
    if (isKnown) break;
    last = await findSnapshot(parts, row);
    if (last !== null) break;
    tail.unshift(row);
  }
  const again = isKnown && before !== null ? before.again : new RunAgain(parts);
  if (last !== null) await again.snapshot(last);
  await again.frames(tail);
  return { again, frame: tail.at(-1) ?? (isKnown ? (before?.frame ?? null) : (last?.row ?? null)) };
}

function isSameFrame(left: MachineFrameRow, right: MachineFrameRow): boolean {
  return left.firstSeq === right.firstSeq && left.body.hash === right.body.hash;
}

/**
 * As it was after a record that nothing of the same input or turn came behind. Throws
 * `MachinesDiverge` (`journal.cut`) for one in the midst of what belongs together.
 */
export async function openKernelAt(parts: KernelParts, height: number): Promise<OpenedKernel> {
  const again = new RunAgain(parts);
  const rows: MachineFrameRow[] = [];
  let isNewest = true;
  for await (const row of newestFirst(parts)) {
    const found = row.lastSeq <= height ? await findSnapshot(parts, row) : null;
    const mayOpen = found !== null && (isNewest || (await isWhole(parts, found)));
    isNewest &&= row.snapshot === null;
    if (found !== null && mayOpen) {
      await again.snapshot(found);
      break;
    }
    if (row.firstSeq <= height) rows.unshift(row);
  }
  await again.frames(rows, height);
  return again.opened();
}

/** A kernel on its way through its journal. */
export class RunAgain {
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
    const replayed = await this.#driver
      .drive(this.#kernel, again, { isAgain: true })
      .catch((error: unknown) => {
        throw error instanceof StepEnded ? stepTooSlow(error) : error;
      });
    if (!replayed.ok) throw new MachinesDiverge(replayed.divergence);
    this.#kernel = replayed.kernel;
  }

  /** The kernel after this frame; one that came there by itself has to be the same. */
  async snapshot(kept: KeptSnapshot): Promise<void> {
    const { row, hash, body } = kept;
    const { firstSeq, lastSeq: seq } = row;
    if (body.previous !== null) await checkLineage(this.#parts, body.previous);
    if (this.#kernel.seq > 0) await this.compare(kept);
    this.#keys.learn(body.keys);
    const set = await this.#versions.load(body.version);
    const opening = openSnapshot(body.kernel, { ...this.#options, set });
    this.#reader.letGo();
    this.#kernel = await this.#driver.drive(this.#kernel, opening);
    if (body.roots !== undefined) recallRoots(this.#kernel, body.roots);
    this.#last = { firstSeq, hash, seq, bytes: body.kernel.length, partBytes: 0 };
    if (this.#kernel.seq === seq) return;
    throw new StateFault("snapshot.lineage", `it is of record ${this.#kernel.seq}, not ${seq}`);
  }

  /** The kernel has to be it to the byte, and to know the keys that it names. */
  async compare({ row, body }: KeptSnapshot): Promise<void> {
    const { bytes: made, parts } = await this.#driver.drive(
      this.#kernel,
      takeSnapshot(this.#kernel),
    );
    this.#reader.hold(parts);
    const recorded = body.kernel;
    if (Buffer.compare(made, recorded) === 0 && this.#keys.haveAll(body.keys)) return;
    const divergence = { seq: row.lastSeq, code: "snapshot.differs", recorded, made } as const;
    throw new MachinesDiverge(divergence);
  }
}

/** Of one that nobody will open again parts may be gone; none may be altered. */
async function isWhole(parts: KernelParts, { body }: KeptSnapshot): Promise<boolean> {
  try {
    await new PartReader(parts).drive(checkParts(body.kernel));
    return true;
  } catch (error) {
    if (error instanceof StateFault && error.code === "state.missing") return false;
    throw error;
  }
}
