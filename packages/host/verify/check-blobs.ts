import {
  type Hash,
  HostError,
  type Payload,
  type Seq,
  type Store,
  type View,
} from "@holdfast/core";
import { checkParts, StateFault } from "@holdfast/core/machine";
import { findNewest } from "../machines/kept-snapshots.ts";
import { PartReader } from "../machines/part-reader.ts";
import type { Folded } from "./fold-journal.ts";
import type { Problem } from "./verify-report.ts";

export type BlobProblem = "BLOB_MISSING" | "BLOB_CORRUPT";

/** A store checks what it hands out; here a bad payload is a finding and not the end. */
export async function readBlob(
  store: Store,
  workflow: string,
  hash: Hash,
): Promise<Uint8Array | BlobProblem> {
  try {
    return await store.loadBlob(workflow, hash);
  } catch (error) {
    const code = error instanceof HostError ? error.code : null;
    if (code === "BLOB_MISSING" || code === "BLOB_CORRUPT") return code;
    throw error;
  }
}

/** Every payload a row or a checkpoint names must be there and be what its hash says. */
export async function checkBlobs(store: Store, { view, chunks }: Folded): Promise<Problem[]> {
  const problems: Problem[] = [];
  const { workflow } = view;
  for (const [hash, { where, position }] of payloadsOf(view)) {
    const code = await readBlob(store, workflow, hash);
    if (typeof code !== "string") continue;
    problems.push({ code, workflow, position, note: `the payload of ${where} (${hash})` });
  }
  for (const [hash, position] of chunks) {
    const code = await readBlob(store, workflow, hash);
    if (typeof code !== "string") continue;
    const note = `a part of the checkpoint (${hash})`;
    problems.push({ code, workflow, position, note, ofCheckpoint: true });
  }
  return [...problems, ...(await checkSnapshot(store, workflow))];
}

/** All that the last snapshot of machines names: without it they cannot go on. */
async function checkSnapshot(store: Store, workflow: string): Promise<Problem[]> {
  const parts = { store, workflow };
  const newest = await findNewest(parts).catch(unlessBlob);
  if (newest === null) return [];
  const reader = new PartReader(parts);
  try {
    await reader.drive(checkParts(newest.body.kernel));
    return [];
  } catch (error) {
    if (!(error instanceof StateFault)) throw error;
    const note = `the snapshot of machines after record ${newest.row.lastSeq}: ${error.message}`;
    const code = error.code === "state.missing" ? "BLOB_MISSING" : "BLOB_CORRUPT";
    return [{ code, workflow, position: newest.row.seq, note }];
  }
}

/** One that is gone itself has been found by its row. */
function unlessBlob(error: unknown): null {
  if (error instanceof HostError && error.code.startsWith("BLOB_")) return null;
  throw error;
}

type Use = { readonly where: string; readonly position: Seq };

function payloadsOf(view: View): Map<Hash, Use> {
  const uses = new Map<Hash, Use>();
  const note = (payload: Payload | null, where: string, position: Seq) => {
    if (payload && payload.inline === null) uses.set(payload.hash, { where, position });
  };
  const { seq } = view.head;
  for (const row of view.rows("events")) {
    note(row.payload, `event ${row.topic} ${row.messageId}`, row.revision);
  }
  for (const row of view.rows("deliveries")) {
    note(row.body, `delivery ${row.deliveryId} to ${row.handler}`, row.position);
  }
  for (const row of view.rows("runs")) note(row.prepareResult, `run ${row.runId}`, seq);
  for (const row of view.rows("handlers")) note(row.state, `state of ${row.name}`, seq);
  for (const row of view.rows("handler_kv")) note(row.value, `kv of ${row.handler}`, seq);
  for (const row of view.rows("machine_inputs")) {
    note(row.body, `input ${row.position} of machines`, row.position);
  }
  for (const { body, snapshot, firstSeq, seq: at } of view.rows("machine_frames")) {
    for (const payload of [body, snapshot]) note(payload, `frame ${firstSeq} of machines`, at);
  }
  for (const { number, body, report, obstacles } of view.rows("proposals")) {
    for (const payload of [body, report, obstacles]) note(payload, `proposal ${number}`, seq);
  }
  for (const row of view.rows("mutations")) {
    for (const payload of [row.payload, row.identity, row.result]) {
      note(payload, `mutation ${row.mutationId}`, seq);
    }
  }
  return uses;
}
