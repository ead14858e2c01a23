import { CanonicalError, type Hash, SchemaError } from "../canonical/index.ts";
import { InvariantError } from "../ports/invariant.ts";
import { admit } from "./admit.ts";
import type { Asking } from "./ask.ts";
import { sameBytes } from "./hex.ts";
import { Kernel, type KernelOptions } from "./kernel.ts";
import type { KeptBytes } from "./out-of-line.ts";
import {
  BytesMissing,
  type RecordHeading,
  readGiven,
  readHeading,
  readReason,
  type SetByHash,
} from "./outside-records.ts";
import { skimHeading } from "./skim-heading.ts";
import { isReadyAway, loadAhead, loadFor, wantsPast } from "./state/load-cells.ts";
import { takeTurn } from "./turn.ts";

/** Where a second run of the journal first went another way. */
export type Divergence = {
  readonly seq: number;
  readonly code: DivergenceCode;
  readonly recorded: Uint8Array | null; // null = the journal ends before it
  readonly made: Uint8Array | null; // null = nothing was made there
};

export type DivergenceCode =
  | "journal.gap" // a record is missing, or stands twice
  | "journal.unreadable" // bytes that no kernel wrote
  | "journal.cut" // it ends in the middle of what one input or step writes
  | "input.refused" // an outside record that would not be taken
  | "turn.none" // a step is recorded, and no cell is ready
  | "record.differs"
  | "missing_cas_dependency" // bytes that a record names by their hash are not there, or others are
  | "snapshot.differs"; // what was kept of the kernel is not what the records lead to

export type Replayed =
  | { readonly ok: true; readonly kernel: Kernel }
  | { readonly ok: false; readonly divergence: Divergence; readonly kernel: Kernel };

export type ReplayOptions = Omit<KernelOptions, "set"> & {
  readonly setOf: SetByHash;
  /** What records name by hash; absent = there is nothing. */
  readonly kept?: KeptBytes;
  /** Goes on from here instead of from nothing: a snapshot, for example. */
  readonly from?: Kernel;
};

/** A step was ended from outside that had come to its end before: nothing is known then. */
export class StepEnded extends Error {
  override readonly name = "StepEnded";
  readonly reason: string;

  constructor(reason: string) {
    super(`A step that came to its end before was ended from outside: ${reason}.`);
    this.reason = reason;
  }
}

class Diverged extends Error {
  readonly divergence: Divergence;

  constructor(divergence: Divergence) {
    super(divergence.code);
    this.divergence = divergence;
  }
}

/**
 * Runs a journal again. Outside records are fed; where a derived one stands the next ready cell
 * takes its turn; whatever is written is compared with what stands there, byte for byte.
 */
export function* replay(records: readonly Uint8Array[], options: ReplayOptions): Asking<Replayed> {
  const { setOf, from, kept = () => null, ...rest } = options;
  const kernel = from ?? emptyKernel(rest);
  const firstSeq = kernel.seq + 1;
  kernel.standing = { at: (seq) => records[seq - firstSeq] ?? null };
  let at = 0;
  try {
    while (at < records.length) {
      const recorded = records[at] ?? emptyRecord;
      const isDerived = isOfTurn(kernel, recorded);
      const heading = isDerived ? null : checkHeading(kernel, recorded);
      if (heading?.outside && heading.kind !== "step_killed") {
        yield* feed(kernel, heading, recorded, { setOf, kept });
      } else yield* repeatTurn(kernel, heading, recorded);
      at += compare(kernel, records, at);
    }
    return { ok: true, kernel };
  } catch (error) {
    if (!(error instanceof Diverged)) throw error;
    return { ok: false, divergence: error.divergence, kernel };
  } finally {
    kernel.standing = null;
    // What a journal orders was ordered when it was written.
    kernel.flushed(kernel.seq);
  }
}

const emptyRecord = new Uint8Array();

/** Before the first record. */
export function emptyKernel(options: Omit<KernelOptions, "set">): Kernel {
  return new Kernel({ ...options, set: noMachines("" as Hash) });
}

/** What a version without machines is to the kernel. */
export function noMachines(manifestHash: Hash): KernelOptions["set"] {
  return {
    workflow: "",
    manifestHash,
    moduleVersion: "",
    names: new Map(),
    topics: new Map(),
    machines: new Map(),
    effects: new Map(),
    routes: new Map(),
  };
}

function diverge(code: DivergenceCode, seq: number, recorded: Uint8Array): never {
  throw new Diverged({ seq, code, recorded, made: null });
}

/**
 * True for a derived record in its place: it is read no further, since it has to be what is made
 * there, to the byte. If it is not, it is looked at as any other.
 */
function isOfTurn(kernel: Kernel, recorded: Uint8Array): boolean {
  const heading = tryTo(() => skimHeading(recorded));
  return heading !== null && !heading.outside && heading.seq === kernel.seq + 1;
}

function checkHeading(kernel: Kernel, recorded: Uint8Array): RecordHeading {
  const expected = kernel.seq + 1;
  const heading = tryTo(() => readHeading(recorded));
  if (heading === null) return diverge("journal.unreadable", expected, recorded);
  if (heading.seq !== expected) return diverge("journal.gap", expected, recorded);
  return heading;
}

function* feed(
  kernel: Kernel,
  heading: RecordHeading,
  recorded: Uint8Array,
  known: { readonly setOf: SetByHash; readonly kept: KeptBytes },
): Asking<void> {
  const { seq } = heading;
  const missing = () => diverge("missing_cas_dependency", seq, recorded);
  const given = tryTo(() => readGiven(heading, known), missing);
  if (given === null) return diverge("journal.unreadable", seq, recorded);
  if (wantsPast(given.input)) yield* loadFor(kernel, given.input);
  const admission = admit(kernel, given.input, given.sample);
  if (!admission.ok) diverge("input.refused", seq, recorded);
}

/** Whatever cannot be read is a finding, with its place; the bytes may be anybody's. */
function tryTo<T>(read: () => T, onMissing?: () => never): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof BytesMissing) onMissing?.();
    const isUnreadable =
      error instanceof CanonicalError ||
      error instanceof SchemaError ||
      error instanceof InvariantError;
    if (!isUnreadable) throw error;
    return null;
  }
}

/** `heading`: null = of a derived record. */
function* repeatTurn(
  kernel: Kernel,
  heading: RecordHeading | null,
  recorded: Uint8Array,
): Asking<void> {
  if (kernel.ring.size === 0) {
    const { seq } = heading ?? checkHeading(kernel, recorded);
    diverge("turn.none", seq, recorded);
  }
  if (isReadyAway(kernel)) yield* loadAhead(kernel);
  const turn = takeTurn(kernel);
  const { value: call, done } = turn.next();
  if (done || call === undefined) return;
  if (heading?.kind !== "step_killed") {
    const answer = yield call;
    if (answer.kind === "killed") throw new StepEnded(answer.reason);
    turn.next(answer);
    return;
  }
  // What killed it is not here to do it again: the record says that it did.
  const reason = tryTo(() => readReason(heading));
  if (reason === null) return diverge("journal.unreadable", heading.seq, recorded);
  turn.next({ kind: "killed", reason });
}

/** How many records were made and found to be the same. */
function compare(kernel: Kernel, records: readonly Uint8Array[], at: number): number {
  const frame = kernel.takeFrame();
  kernel.takeNotes();
  kernel.takeKept();
  const made = frame?.records ?? [];
  let index = 0;
  for (const bytes of made) {
    const seq = (frame?.firstSeq ?? 0) + index;
    const recorded = records[at + index] ?? null;
    if (recorded === null) {
      throw new Diverged({ seq, code: "journal.cut", recorded, made: bytes });
    }
    // Who wrote it has compared it, if it is the one that stands there.
    if (recorded !== bytes && !sameBytes(recorded, bytes)) {
      if (index === 0) checkReadable(seq, recorded);
      throw new Diverged({ seq, code: "record.differs", recorded, made: bytes });
    }
    index++;
  }
  return made.length;
}

/** The first record of a turn may have been skimmed only. */
function checkReadable(seq: number, recorded: Uint8Array): void {
  if (tryTo(() => readHeading(recorded)) === null) diverge("journal.unreadable", seq, recorded);
}
