import { hashText, type Policy } from "@holdfast/core";
import {
  forgetPieces,
  keepPiece,
  knownRoots,
  type Part,
  takeSnapshot,
  unkeptCount,
} from "@holdfast/core/machine";
import { encodeSnapshotBody } from "./frame-body.ts";
import type { LastSnapshot, OpenedKernel } from "./open-kernel.ts";
import { recordsBetween } from "./snapshot-spacing.ts";

/** What says whether a frame gets one; `isAsked`: somebody wants it now. */
export type SnapshotTime = { readonly policy: Policy; readonly isAsked: boolean };

/** The frame it is for. */
type FrameAt = { readonly firstSeq: number; readonly recordCount: number };

/** To be kept with the frame. */
export type KeptWithFrame = {
  /** Null = it is only a piece of the next one, or nothing at all. */
  readonly snapshot: Uint8Array | null;
  readonly parts: readonly Part[];
};

/** Of what may be at hand, so much may have changed before a snapshot begins to keep it. */
const dirtyShareMax = 0.25;
/** And so much before it is taken at once, however long that takes. */
const dirtyShareAtOnce = 0.5;
/** Changes that one frame keeps at least: some milliseconds. */
const pieceMin = 16;
/**
 * What lies in the store without a snapshot that names it is collected after its time of grace. A
 * quarter of it is left to the pieces; the rest is more than any lease.
 */
const graceShare = 0.25;
const graceMsMin = 600_000;

/**
 * Snapshots of one owned kernel: when, and in how many pieces. A snapshot of much that changed is
 * spread over the frames before it, so that no step waits for all of it.
 */
export class SnapshotPieces {
  readonly #monotonicMs: () => number;
  #last: LastSnapshot | null = null;
  /** When the first piece of the next one was made; null = there is none. */
  #beganMs: number | null = null;
  #pieceBytes = 0;
  /** Number of the last record when the kernel was opened, or had its last snapshot. */
  #openedSeq = 0;

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs;
  }

  /** A kernel was opened, with this snapshot as its last. */
  begin(last: LastSnapshot | null, { seq }: { readonly seq: number }): void {
    this.#last = last;
    this.#openedSeq = seq;
    this.#beganMs = null;
    this.#pieceBytes = 0;
  }

  /** Seldom enough that snapshots are a small part of what is written. */
  async next(opened: OpenedKernel, at: FrameAt, when: SnapshotTime): Promise<KeptWithFrame> {
    const { kernel, driver, reader } = opened;
    if (this.#isTooOld(when)) this.#forget(opened);
    if (!when.isAsked && !this.#isWorthIt(opened, when)) return { snapshot: null, parts: [] };
    // More than the frame itself has changed, or the end would never come.
    const pieceMax = Math.max(pieceMin, at.recordCount * 2);
    const isUrgent = this.#isPressing(opened, when) || this.#isOverdue(when);
    const isWhole = when.isAsked || isUrgent || !hasTime(when);
    if (isWhole || unkeptCount(kernel) <= pieceMax) return this.#take(opened, at.firstSeq);
    this.#beganMs ??= this.#monotonicMs();
    const parts = await driver.drive(kernel, keepPiece(kernel, pieceMax));
    reader.remember(parts);
    this.#pieceBytes += bytesOf(parts);
    return { snapshot: null, parts };
  }

  #isWorthIt({ kernel }: OpenedKernel, { policy }: SnapshotTime): boolean {
    const since = kernel.seq - (this.#last?.seq ?? 0);
    if (since >= recordsBetween(this.#last, policy.machineSnapshotRecords)) return true;
    return kernel.dirtyBytes >= policy.machineResidentBytesMax * dirtyShareMax;
  }

  #isPressing({ kernel }: OpenedKernel, { policy }: SnapshotTime): boolean {
    return kernel.dirtyBytes >= policy.machineResidentBytesMax * dirtyShareAtOnce;
  }

  /**
   * It was due when the kernel was opened. Whoever had begun it in pieces went away before it was
   * done, and so might this one, again and again, while there is ever more to run again.
   */
  #isOverdue({ policy }: SnapshotTime): boolean {
    const since = this.#openedSeq - (this.#last?.seq ?? 0);
    return since >= recordsBetween(this.#last, policy.machineSnapshotRecords);
  }

  #isTooOld({ policy: { machinePartGraceMs } }: SnapshotTime): boolean {
    const beganMs = this.#beganMs;
    return beganMs !== null && this.#monotonicMs() - beganMs >= machinePartGraceMs * graceShare;
  }

  #forget({ kernel }: OpenedKernel): void {
    forgetPieces(kernel);
    this.#beganMs = null;
    this.#pieceBytes = 0;
  }

  async #take({ kernel, keys, driver, reader }: OpenedKernel, firstSeq: number) {
    const { seq } = kernel;
    const { bytes: kernelBytes, parts } = await driver.drive(kernel, takeSnapshot(kernel));
    reader.remember(parts);
    const last = this.#last;
    const snapshot = encodeSnapshotBody({
      kernel: kernelBytes,
      version: kernel.set.manifestHash,
      keys: keys.known,
      receiptHorizon: seq,
      previous: last && { firstSeq: last.firstSeq, hash: last.hash },
      roots: knownRoots(kernel),
    });
    const partBytes = this.#pieceBytes + bytesOf(parts);
    const { length: bytes } = snapshot;
    this.begin({ firstSeq, hash: hashText(snapshot), seq, bytes, partBytes }, { seq });
    return { snapshot, parts };
  }
}

function hasTime({ policy }: SnapshotTime): boolean {
  return policy.machinePartGraceMs >= graceMsMin;
}

function bytesOf(parts: readonly Part[]): number {
  return parts.reduce((sum, { bytes }) => sum + bytes.length, 0);
}
