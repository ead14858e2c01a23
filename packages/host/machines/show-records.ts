import {
  type CanonicalValue,
  decodeCanonical,
  type Instant,
  type MachineFrameRow,
  type Store,
} from "@holdfast/core";
import { hex } from "@holdfast/core/machine";
import { bytesOf } from "../engine/values.ts";
import type { JsonValue } from "../queries/answers.ts";
import { plainValue } from "../queries/plain-value.ts";
import { decodeFrameBody } from "./frame-body.ts";
import { findSnapshot } from "./kept-snapshots.ts";
import { shownSnapshot } from "./show-snapshots.ts";
import { withNotes } from "./stop-words.ts";

type RecordParts = { readonly store: Store; readonly workflow: string };
export type RecordFields = { readonly [name: string]: CanonicalValue };

export type ShownRecords = {
  readonly items: readonly { readonly seq: number; readonly record: JsonValue }[];
  readonly next: number | null;
};

/** What the kernel has recorded, in order, from after a number on. */
export async function listRecords(
  parts: RecordParts,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<ShownRecords> {
  const items: { seq: number; record: JsonValue }[] = [];
  let last = after;
  for await (const [seq, fields, frame] of recordsAfter(parts, after)) {
    if (items.length >= limit) return { items, next: last };
    last = seq;
    items.push({ seq, record: shownRecord(fields) });
    if (seq === frame.lastSeq) items.push(...(await snapshotRecord(parts, frame)));
  }
  return { items, next: null };
}

/**
 * A snapshot is no record of the kernel, which knows nothing of it. It is shown as one behind the
 * last that it has in it; the fact which keeps the frame names it by its hash.
 */
async function snapshotRecord(parts: RecordParts, frame: MachineFrameRow) {
  const found = await findSnapshot(parts, frame);
  if (found === null) return [];
  const { ref, height, receiptHorizon, logicalNowNs, manifestHash } = shownSnapshot(found);
  const record = {
    kind: "snapshot",
    snapshot_ref: ref,
    height,
    receipt_horizon_height: receiptHorizon,
    logical_now_ns: logicalNowNs,
    manifest_hash: manifestHash,
  };
  return [{ seq: frame.lastSeq, record }];
}

/** Hashes as they are named, values as they are meant; what is only bytes, by its size. */
export function shownRecord(fields: RecordFields): JsonValue {
  const entries = Object.entries(fields).map(([name, value]) => [name, shownField(name, value)]);
  return Object.fromEntries(entries) as JsonValue;
}

const values = new Set(["key", "value", "payload", "params", "ingress_key", "requested_key"]);
const hashes = /_hash$|^hash$|_ref$|_sha256$/;

function shownField(name: string, value: CanonicalValue): JsonValue {
  if (Array.isArray(value)) return value.map((each) => shownField(name, each));
  if (value instanceof Uint8Array) {
    if (hashes.test(name)) return hex(value);
    return values.has(name) ? shownKey(value) : plainValue(value);
  }
  if (typeof value !== "object" || value === null || value instanceof Map) return plainValue(value);
  return shownRecord(value as RecordFields);
}

/** Canonical bytes, as what they say. */
export function shownKey(key: Uint8Array | null): JsonValue {
  return key === null ? null : plainValue(decodeCanonical(key));
}

export type TimelineEntry = {
  readonly seq: number;
  /** Milliseconds; null = it has the time of what caused it. */
  readonly at: Instant | null;
  readonly kind: TimelineKind;
  /** Number of the record that led to it; null = it came from outside. */
  readonly cause: number | null;
  readonly record: JsonValue;
  /** What the script said, of the fault that a cell stands still for; else null. */
  readonly note: string | null;
};

export type TimelineKind =
  | "event" // came in for the cell
  | "step" // was taken
  | "said" // an event of a step, for a topic
  | "effect" // was asked for
  | "receipt" // of an effect
  | "frame" // progress of an effect
  | "fault" // what was not taken, and what became of it
  | "killed" // a step, by its clock
  | "cancel_asked" // of an effect; whether it came to that, its receipt says
  | "restarted"; // by a person

export type Timeline = {
  readonly items: readonly TimelineEntry[];
  /** Number to go on after; null = that was all. */
  readonly next: number | null;
};

export type TimelineQuery = {
  readonly machine: string;
  /** Canonical bytes; null = the machine has one cell. */
  readonly key: Uint8Array | null;
  readonly after: number;
  readonly limit: number;
};

/** Records that one page looks at: a quiet cell among busy ones is not worth reading them all. */
const lookedAtMax = 20_000;

/** What happened to one cell, in order: what came in, its steps, what they asked for and got. */
export async function timelineOf(parts: RecordParts, query: TimelineQuery): Promise<Timeline> {
  const items: TimelineEntry[] = [];
  const { after, limit } = query;
  let last = after;
  for await (const [seq, fields] of recordsAfter(parts, after)) {
    if (items.length === limit || seq - after > lookedAtMax) return { items, next: last };
    last = seq;
    const entry = timelineEntry(query, seq, fields);
    if (entry !== null) items.push(entry);
  }
  return { items: await withNotes(parts, query, items), next: null };
}

type CellName = Pick<TimelineQuery, "machine" | "key">;

/** Null = it is not about this cell. */
export function timelineEntry(
  cell: CellName,
  seq: number,
  fields: RecordFields,
): TimelineEntry | null {
  const kind = kindFor(cell, fields);
  if (kind === null) return null;
  const cause = typeof fields["cause"] === "number" ? fields["cause"] : null;
  return { seq, at: timeOf(fields), kind, cause, record: shownRecord(fields), note: null };
}

const kinds: Readonly<Record<string, TimelineKind>> = {
  step: "step",
  effect_intent: "effect",
  effect_receipt: "receipt",
  custom: "fault",
  step_killed: "killed",
  cancel: "cancel_asked",
  restart: "restarted",
};

/** Null = it is not about this cell. */
function kindFor(cell: CellName, fields: RecordFields): TimelineKind | null {
  const kind = String(fields["kind"]);
  if (kind === "domain_event") {
    const targets = fields["targets"] as readonly CanonicalValue[];
    if (targets.some((target) => isOf(cell, target))) return "event";
    return isOf(cell, fields["from"] ?? null) ? "said" : null;
  }
  if (kind === "stream_frame") return isOf(cell, fields["identity"] ?? null) ? "frame" : null;
  return isOf(cell, fields) ? (kinds[kind] ?? null) : null;
}

function isOf(cell: CellName, given: CanonicalValue): boolean {
  if (given === null || typeof given !== "object") return false;
  const { machine, key = null } = given as { machine?: unknown; key?: Uint8Array | null };
  if (machine !== cell.machine) return false;
  if (cell.key === null || key === null) return cell.key === key;
  return Buffer.compare(cell.key, key) === 0;
}

const nsPerMs = 1_000_000n;

function timeOf(fields: RecordFields): Instant | null {
  const { now_ns: now } = (fields["stamp"] ?? {}) as { readonly now_ns?: number | bigint };
  return now === undefined ? null : Number(BigInt(now) / nsPerMs);
}

/** Number of the last one; 0 = there is none. */
export async function lastRecord({ store, workflow }: RecordParts): Promise<number> {
  const query = { workflow, list: "machineFrames", of: [], after: null, downTo: null } as const;
  const [last] = await store.listRows({ ...query, limit: 1 });
  return last?.lastSeq ?? 0;
}

/** In order. No more of the journal is held than a few frames' rows and the records of one. */
export async function* recordsAfter(
  { store, workflow }: RecordParts,
  after: number,
): AsyncGenerator<readonly [seq: number, fields: RecordFields, frame: MachineFrameRow]> {
  for await (const frame of framesAfter(store, workflow, after)) {
    const { records } = decodeFrameBody(await bytesOf(store, workflow, frame.body));
    for (const [at, bytes] of records.entries()) {
      const seq = frame.firstSeq + at;
      if (seq > after) yield [seq, decodeCanonical(bytes) as RecordFields, frame];
    }
  }
}

/** Records whose frames are listed together; a frame has one at least. */
const recordsPerPage = 256;

/**
 * The list gives the newest first, so it is asked for one stretch of numbers after the other: each
 * frame begins behind the one before, and a stretch without its last number is the end.
 */
async function* framesAfter(
  store: Store,
  workflow: string,
  after: number,
): AsyncGenerator<MachineFrameRow> {
  const query = { workflow, list: "machineFrames", of: [] } as const;
  // The one that has the next number may have begun before it.
  const [begun] =
    after === 0
      ? [{ firstSeq: 1 }]
      : await store.listRows({ ...query, after: [after + 2], downTo: null, limit: 1 });
  let from = begun?.firstSeq ?? 1;
  for (;;) {
    const place = { after: [from + recordsPerPage], downTo: [from] };
    const rows: readonly MachineFrameRow[] = await store.listRows({
      ...query,
      ...place,
      limit: recordsPerPage,
    });
    for (const row of rows.toReversed()) if (row.lastSeq > after) yield row;
    const last = rows[0]?.lastSeq ?? 0;
    if (last + 1 < from + recordsPerPage) return;
    from = last + 1;
  }
}
