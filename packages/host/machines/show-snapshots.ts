import type { Store } from "@holdfast/core";
import { describeSnapshot } from "@holdfast/core/machine";
import { findNewest, type KeptSnapshot } from "./kept-snapshots.ts";

type Parts = { readonly store: Store; readonly workflow: string };

/** What is told of a snapshot; all of it is in what was kept, and what refers to it. */
export type ShownSnapshot = {
  /** Hash of its body: what the fact that keeps its frame names. */
  readonly ref: string;
  /** Number of the last record in it. */
  readonly height: number;
  /** Every receipt up to here is in it. */
  readonly receiptHorizon: number;
  /** Nanoseconds, as the machines count them. */
  readonly logicalNowNs: string;
  readonly manifestHash: string;
  readonly roots: readonly {
    readonly machine: string;
    readonly hash: string;
    readonly cells: number;
  }[];
  /** The one before it; null = it is the first. */
  readonly previous: { readonly ref: string; readonly firstSeq: number } | null;
};

export function shownSnapshot({ row, hash, body }: KeptSnapshot): ShownSnapshot {
  const { seq, logicalNowNs, manifestHash, roots } = describeSnapshot(body.kernel);
  const { previous } = body;
  return {
    ref: hash,
    height: seq,
    receiptHorizon: body.receiptHorizon ?? row.lastSeq,
    logicalNowNs: String(logicalNowNs),
    manifestHash,
    roots: roots.map(({ machine, hash: root, count }) => ({ machine, hash: root, cells: count })),
    previous: previous && { ref: previous.hash, firstSeq: previous.firstSeq },
  };
}

const lookMs = 25;

/**
 * The newest one, once all that waits for the machines now has been served; null = that took too
 * long. Whoever asked for one before finds it there.
 */
export async function awaitSnapshot(
  parts: Parts,
  { waitMs, monotonicMs }: { readonly waitMs: number; readonly monotonicMs: () => number },
): Promise<ShownSnapshot | null> {
  const until = monotonicMs() + waitMs;
  const { machineInputSeq: wanted } = await progressOf(parts);
  for (;;) {
    const { machineThrough } = await progressOf(parts);
    if (machineThrough >= wanted) break;
    if (monotonicMs() >= until) return null;
    await new Promise((resume) => setTimeout(resume, lookMs));
  }
  const found = await findNewest(parts);
  return found === null ? null : shownSnapshot(found);
}

async function progressOf({ store, workflow }: Parts) {
  const need = { kind: "row", table: "workflows", key: [] } as const;
  const { rows } = await store.load(workflow, [need]);
  const [found] = rows.flatMap((each) => (each.table === "workflows" ? [each.row] : []));
  return found ?? { machineInputSeq: 0, machineThrough: 0 };
}
