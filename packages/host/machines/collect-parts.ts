import { randomBytes } from "node:crypto";
import type { Hash, Policy, Store } from "@holdfast/core";
import { readKeptName, walkSnapshots } from "@holdfast/core/machine";
import { lastSnapshots } from "./kept-snapshots.ts";
import { type BlobMarks, type BlobParts, markBlobs } from "./mark-blobs.ts";
import { PartMarks } from "./part-marks.ts";
import { PartReader } from "./part-reader.ts";

export type CollectParts = Omit<BlobParts, "store"> & {
  readonly store: BlobParts["store"] & Pick<Store, "sweepParts">;
  readonly policy: Pick<Policy, "machineSnapshotsKept" | "machinePartGraceMs">;
  readonly monotonicMs: () => number;
};

/** Of states and nodes, or of blobs that machines put, with their edges. */
type Counts = {
  readonly parts: number;
  /** Named by nothing that is kept. */
  readonly unreachable: number;
  readonly swept: number;
};

type Collected = Counts & {
  /** Younger than the time of grace; null = nobody tried: the store knows when it deletes. */
  readonly waiting: number | null;
};

export type CollectedParts = Collected & {
  /** What was written since so long ago is not deleted. */
  readonly graceMs: number;
  /** Whose parts are kept; with none nothing is certain, and nothing is swept. */
  readonly snapshots: number;
  readonly blobs: Collected & {
    /** Why nobody can say what is named, so that none is swept; null = it is certain. */
    readonly unsure: string | null;
  };
};

const partsPerPage = 1_000;

/**
 * Deletes the parts that none of the last snapshots names, and the blobs that nothing names. Marks
 * along references, then goes through all parts page by page, in memory that does not grow with
 * them. Whatever is written while it goes on is younger than its beginning, so it stays; a damaged
 * snapshot ends it before anything is deleted. It may end anywhere: what is left is collected next
 * time.
 */
export async function collectParts(
  parts: CollectParts,
  { isDryRun }: { readonly isDryRun: boolean },
): Promise<CollectedParts> {
  const { store, workflow, policy, monotonicMs } = parts;
  const beganMs = monotonicMs();
  const last = () => lastSnapshots({ store, workflow }, policy.machineSnapshotsKept);
  const none = { parts: 0, unreachable: 0, swept: 0 };
  const graceMs = policy.machinePartGraceMs;
  const waitingOf = ({ unreachable, swept }: Counts) => (isDryRun ? null : unreachable - swept);
  if ((await last()).length === 0) {
    const nothing = { ...none, waiting: waitingOf(none) };
    return { snapshots: 0, graceMs, ...nothing, blobs: { ...nothing, unsure: null } };
  }
  const { kept, ...ofBlobs } = await markBlobs(parts, last);
  const marks = new PartMarks(randomBytes(32));
  const bodies = kept.map(({ body }) => body.kernel);
  await new PartReader({ store, workflow }).drive(
    walkSnapshots(bodies, {
      node: (hash) => marks.add(hash),
      states: (hashes) => {
        for (const hash of hashes) marks.add(hash);
      },
    }),
  );
  const found = { snapshots: kept.length, graceMs, ...none };
  const blobs = { ...none, unsure: ofBlobs.unsure };
  for (let after: Hash | null = null; ; ) {
    const page: readonly Hash[] = await store.listParts(workflow, after, partsPerPage);
    const untouchedMs = Math.ceil(monotonicMs() - beganMs) + policy.machinePartGraceMs;
    const [own, others] = [page.filter(isOfSnapshot), page.filter((name) => !isOfSnapshot(name))];
    const lost = own.filter((hash) => !marks.has(hash));
    const unnamed = others.filter((name) => !isNamed(name, ofBlobs));
    const sweep = async (names: readonly Hash[]) =>
      isDryRun || names.length === 0 ? 0 : store.sweepParts(workflow, names, untouchedMs);
    count(found, { parts: own.length, unreachable: lost.length, swept: await sweep(lost) });
    const swept = await sweep(ofBlobs.unsure === null ? unnamed : []);
    count(blobs, { parts: others.length, unreachable: unnamed.length, swept });
    const end = page.at(-1);
    if (end === undefined || page.length < partsPerPage) {
      const ofThem = { ...blobs, waiting: blobs.unsure === null ? waitingOf(blobs) : 0 };
      return { ...found, waiting: waitingOf(found), blobs: ofThem };
    }
    after = end;
  }
}

function isOfSnapshot(name: Hash): boolean {
  return readKeptName(name).kind === "part";
}

function isNamed(name: Hash, { marks }: BlobMarks): boolean {
  const read = readKeptName(name);
  return marks.has(read.ref) || ("edgeRef" in read && marks.has(read.edgeRef));
}

function count(total: { -readonly [Name in keyof Counts]: number }, page: Counts): void {
  total.parts += page.parts;
  total.unreachable += page.unreachable;
  total.swept += page.swept;
}
