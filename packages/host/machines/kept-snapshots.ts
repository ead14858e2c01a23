import type { Hash, MachineFrameRow, Store } from "@holdfast/core";
import { StateFault } from "@holdfast/core/machine";
import { bytesOf } from "../engine/values.ts";
import { decodeSnapshotBody, type EarlierSnapshot, type SnapshotBody } from "./frame-body.ts";

type Parts = {
  readonly store: Pick<Store, "listRows" | "loadBlob" | "loadParts" | "load">;
  readonly workflow: string;
};

/** A snapshot with the frame it was taken after. */
export type KeptSnapshot = {
  readonly row: MachineFrameRow;
  readonly hash: Hash;
  readonly body: SnapshotBody;
};

const framesPerPage = 50;

/** Every frame, the last one first. */
export async function* newestFirst({ store, workflow }: Parts): AsyncGenerator<MachineFrameRow> {
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

/**
 * Null = none was taken after this frame, or one of an older form. One that lacks a receipt which
 * came before its height is nothing to go on from: the intent would be open for ever.
 */
export async function findSnapshot(
  { store, workflow }: Parts,
  row: MachineFrameRow,
): Promise<KeptSnapshot | null> {
  if (row.snapshot === null) return null;
  const { hash } = row.snapshot;
  const body = decodeSnapshotBody(await bytesOf(store, workflow, row.snapshot));
  if (body === null) return null;
  const { receiptHorizon = row.lastSeq } = body;
  if (receiptHorizon === row.lastSeq) return { row, hash, body };
  const note = `it has receipts up to ${receiptHorizon} and is of record ${row.lastSeq}`;
  throw new StateFault("snapshot.horizon", note);
}

/** Null = none was ever taken. */
export async function findNewest(parts: Parts): Promise<KeptSnapshot | null> {
  for await (const row of newestFirst(parts)) {
    if (row.snapshot !== null) return findSnapshot(parts, row);
  }
  return null;
}

/** The last so many, newest first, each the one that its successor names. */
export async function lastSnapshots(
  parts: Parts,
  countMax: number,
): Promise<readonly KeptSnapshot[]> {
  const kept: KeptSnapshot[] = [];
  let next = await findNewest(parts);
  while (next !== null) {
    kept.push(next);
    const { previous } = next.body;
    if (kept.length >= countMax || previous === null) break;
    next = await findSnapshot(parts, await checkLineage(parts, previous));
  }
  return kept;
}

/** The frame that a snapshot says its predecessor was taken after, if the journal says so too. */
export async function checkLineage(
  { store, workflow }: Parts,
  previous: EarlierSnapshot,
): Promise<MachineFrameRow> {
  const { firstSeq, hash } = previous;
  const need = { kind: "row", table: "machine_frames", key: [firstSeq] } as const;
  const { rows } = await store.load(workflow, [need]);
  const [found] = rows.flatMap((each) => (each.table === "machine_frames" ? [each.row] : []));
  if (found?.snapshot?.hash === hash) return found;
  throw new StateFault("snapshot.lineage", `none was taken after the frame of record ${firstSeq}`);
}
