import type { MachineFrameRow } from "@holdfast/core";
import { StateFault, takeSnapshot } from "@holdfast/core/machine";
import { chooseCuts } from "./choose-cuts.ts";
import { findSnapshot, type KeptSnapshot, newestFirst } from "./kept-snapshots.ts";
import { type KernelParts, RunAgain } from "./open-kernel.ts";
import { NotBeside, RunBeside } from "./run-beside.ts";

/** Stretches of a journal that are run at once: their steps keep more than one thread busy. */
const lanesMax = 2;

type Journal = {
  readonly rows: readonly MachineFrameRow[];
  /** Places of those that a snapshot was taken after. */
  readonly taken: readonly number[];
};

/** From the frame behind a snapshot to the one that the next such snapshot was taken after. */
type Stretch = {
  readonly from: Cut | null; // null = from the first record on
  readonly to: Cut | null; // null = to the last one
};

type Cut = { readonly at: number; readonly snapshot: KeptSnapshot };

/** What a journal leads to. */
export type Replayed = {
  /** Of the whole kernel. */
  readonly snapshot: Uint8Array;
  readonly seq: number;
};

/** A kernel on its way through a stretch, here or beside the isolates. */
type Run = Pick<RunBeside, "frames" | "snapshot" | "compare" | "rest" | "taken" | "end">;

/**
 * From the first record on. Wherever a snapshot was taken the kernel has to be it to the byte; from
 * the newest what comes after is run with what it holds.
 *
 * A long journal is cut where snapshots were taken, and its stretches are run at once. Each begins
 * with what a snapshot says, which is not believed: the stretch before has to come to the same. So
 * all of it is known to be right when all of them are, and the first that is not is the finding.
 *
 * Kernels are run beside the isolates where that can be done. Where a thread is lost on the way,
 * all of it is run once more from here, with one message for many steps.
 */
export async function replayAll(parts: KernelParts): Promise<Replayed> {
  const journal = await readJournal(parts);
  const stretches = await stretchesOf(parts, journal);
  try {
    return await runAll(parts, { journal, stretches }, () => new RunBeside(parts));
  } catch (error) {
    if (!(error instanceof NotBeside)) throw error;
    return await runAll(parts, { journal, stretches }, () => runHere(parts));
  }
}

function runHere(parts: KernelParts): Run {
  const again = new RunAgain(parts);
  return {
    frames: (rows) => again.frames(rows),
    snapshot: (kept) => again.snapshot(kept),
    compare: (kept) => again.compare(kept),
    taken: async () => {
      const { kernel, driver } = again.opened();
      const { bytes: snapshot } = await driver.drive(kernel, takeSnapshot(kernel));
      return { snapshot, seq: kernel.seq };
    },
    rest: () => {},
    end: () => {},
  };
}

type Plan = { readonly journal: Journal; readonly stretches: readonly Stretch[] };

async function runAll(parts: KernelParts, plan: Plan, begin: () => Run): Promise<Replayed> {
  const { journal, stretches } = plan;
  const begun = stretches.map((stretch) => ({ stretch, run: begin() }));
  try {
    const ends = await settleInLanes(begun, ({ stretch, run }) =>
      runStretch(run, parts, journal, stretch),
    );
    let reached = begun[0]?.run ?? begin();
    for (const [index, { stretch, run }] of begun.entries()) {
      const end = ends[index];
      if (end?.status !== "rejected") {
        reached = run;
        continue;
      }
      const { from } = stretch;
      const isOfSnapshot = from !== null && end.reason instanceof StateFault;
      if (!isOfSnapshot) throw end.reason;
      // Parts of an old snapshot may have been collected: who has come to it by itself goes on.
      await meet(reached, journal, from);
      await runRows(reached, parts, journal, { from, to: null });
      break;
    }
    return await reached.taken();
  } finally {
    for (const { run } of begun) run.end();
  }
}

/** In their order; the next begins when one of those before it is through. */
async function settleInLanes<T>(
  all: readonly T[],
  work: (one: T) => Promise<void>,
): Promise<readonly PromiseSettledResult<void>[]> {
  const ends: PromiseSettledResult<void>[] = [];
  const left = [...all.entries()];
  const lane = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const [at, one] = next;
      for (const end of await Promise.allSettled([work(one)])) ends[at] = end;
    }
  };
  await Promise.all(Array.from({ length: lanesMax }, lane));
  return ends;
}

async function readJournal(parts: KernelParts): Promise<Journal> {
  const rows: MachineFrameRow[] = [];
  for await (const row of newestFirst(parts)) rows.push(row);
  rows.reverse();
  const taken = rows.flatMap(({ snapshot }, at) => (snapshot === null ? [] : [at]));
  return { rows, taken };
}

/** So that every lane has about the same to do, as far as there are snapshots to cut at. */
async function stretchesOf(
  parts: KernelParts,
  { rows, taken }: Journal,
): Promise<readonly Stretch[]> {
  const ends = taken.map((at) => rows[at]?.lastSeq ?? 0);
  const cuts: Cut[] = [];
  for (const chosen of chooseCuts(ends, rows.at(-1)?.lastSeq ?? 0)) {
    const at = taken[chosen] ?? 0;
    const snapshot = await readableSnapshot(parts, rows[at]);
    if (snapshot !== null) cuts.push({ at, snapshot });
  }
  return [null, ...cuts].map((from, index) => ({ from, to: cuts[index] ?? null }));
}

/** What is wrong with one is found by who comes to it, in its place. */
async function readableSnapshot(parts: KernelParts, row: MachineFrameRow | undefined) {
  try {
    return row === undefined ? null : await findSnapshot(parts, row);
  } catch (error) {
    if (error instanceof StateFault) return null;
    throw error;
  }
}

async function runStretch(
  run: Run,
  parts: KernelParts,
  journal: Journal,
  stretch: Stretch,
): Promise<void> {
  if (stretch.from !== null) await run.snapshot(stretch.from.snapshot);
  await runRows(run, parts, journal, stretch);
}

/** The kernel is where the stretch begins. */
async function runRows(
  run: Run,
  parts: KernelParts,
  journal: Journal,
  { from, to }: Stretch,
): Promise<void> {
  const rows = journal.rows.slice(0, to === null ? undefined : to.at + 1);
  let waiting: MachineFrameRow[] = [];
  for (let at = (from?.at ?? -1) + 1; at < rows.length; at++) {
    const row = rows[at];
    if (row === undefined) break;
    waiting.push(row);
    const snapshot = await findSnapshot(parts, row);
    if (snapshot === null) continue;
    await run.frames(waiting);
    waiting = [];
    if (at === to?.at) await run.compare(snapshot);
    else await meet(run, journal, { at, snapshot });
  }
  await run.frames(waiting);
  run.rest();
}

/** The newest is what a host would go on from, so its parts have to be there. */
function meet(run: Run, { taken }: Journal, { at, snapshot }: Cut): Promise<void> {
  return at === taken.at(-1) ? run.snapshot(snapshot) : run.compare(snapshot);
}
