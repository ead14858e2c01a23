import { randomBytes } from "node:crypto";
import type { Hash, Policy, Store } from "@holdfast/core";
import { walkSnapshots } from "@holdfast/core/machine";
import { lastSnapshots } from "./kept-snapshots.ts";
import { PartMarks } from "./part-marks.ts";
import { PartReader } from "./part-reader.ts";

export type CollectParts = {
  readonly store: Pick<
    Store,
    "listRows" | "loadBlob" | "loadParts" | "load" | "listParts" | "sweepParts"
  >;
  readonly workflow: string;
  readonly policy: Pick<Policy, "machineSnapshotsKept" | "machinePartGraceMs">;
  readonly monotonicMs: () => number;
};

export type CollectedParts = {
  /** Whose parts are kept; with none nothing is certain, and nothing is swept. */
  readonly snapshots: number;
  readonly parts: number;
  /** Named by none of these snapshots. */
  readonly unreachable: number;
  /** The others of them are younger than the time of grace. */
  readonly swept: number;
};

const partsPerPage = 1_000;

/**
 * Deletes the parts that none of the last snapshots names. Marks along references, then goes
 * through all parts page by page, in memory that does not grow with them. Whatever is written while
 * it goes on is younger than its beginning, so it stays; a damaged snapshot ends it before anything
 * is deleted. It may end anywhere: what is left is collected next time.
 */
export async function collectParts(
  { store, workflow, policy, monotonicMs }: CollectParts,
  { isDryRun }: { readonly isDryRun: boolean },
): Promise<CollectedParts> {
  const beganMs = monotonicMs();
  const kept = await lastSnapshots({ store, workflow }, policy.machineSnapshotsKept);
  if (kept.length === 0) return { snapshots: 0, parts: 0, unreachable: 0, swept: 0 };
  const marks = new PartMarks(randomBytes(32));
  const reader = new PartReader({ store, workflow });
  const bodies = kept.map(({ body }) => body.kernel);
  await reader.drive(
    walkSnapshots(bodies, {
      node: (hash) => marks.add(hash),
      states: (hashes) => {
        for (const hash of hashes) marks.add(hash);
      },
    }),
  );
  const found = { snapshots: kept.length, parts: 0, unreachable: 0, swept: 0 };
  let after: Hash | null = null;
  for (;;) {
    const page: readonly Hash[] = await store.listParts(workflow, after, partsPerPage);
    const unreachable = page.filter((hash) => !marks.has(hash));
    found.parts += page.length;
    found.unreachable += unreachable.length;
    if (!isDryRun && unreachable.length > 0) {
      const untouchedMs = Math.ceil(monotonicMs() - beganMs) + policy.machinePartGraceMs;
      found.swept += await store.sweepParts(workflow, unreachable, untouchedMs);
    }
    const last = page.at(-1);
    if (last === undefined || page.length < partsPerPage) return found;
    after = last;
  }
}
