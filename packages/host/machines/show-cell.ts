import { decodeCanonical, type Instant, type Store } from "@holdfast/core";
import {
  exactText,
  findInstance,
  foreseeCall,
  guestValue,
  hashOfBytes,
  type InstanceView,
  type Kernel,
  openWork,
} from "@holdfast/core/machine";
import type { JsonValue } from "../queries/answers.ts";
import { plainValue } from "../queries/plain-value.ts";
import { lastTroubles } from "./cell-troubles.ts";
import { type Diagnosis, diagnose } from "./diagnose.ts";
import { type ReadParts, readKernel } from "./kept-kernels.ts";
import { type OpenedKernel, openKernel, openKernelAt } from "./open-kernel.ts";
import { shownKey } from "./show-records.ts";
import type { TraceState, TraceWaits } from "./trace-machines.ts";

type ShowParts = ReadParts & { readonly store: Store };
type CellName = { readonly machine: string; readonly key: Uint8Array | null };
type Found = NonNullable<Awaited<ReturnType<typeof found>>>;

export type ShownCell = {
  /** `<machine>::<key in hexadecimal digits>`. */
  readonly cell: string;
  readonly machine: string;
  readonly key: JsonValue;
  /** The key as text that names exactly it to the API and to commands; null = it has none. */
  readonly keyText: string | null;
  readonly status: InstanceView["status"];
  readonly stateBytes: number;
  readonly waiting: number;
  readonly openIntents: readonly string[];
  readonly lastEvent: number;
  readonly version: string;
};

export function shownCell(each: InstanceView): ShownCell {
  return {
    cell: each.id,
    machine: each.machine,
    key: shownKey(each.key),
    keyText: each.key === null ? null : exactText(decodeCanonical(each.key)),
    status: each.status,
    stateBytes: each.stateBytes,
    waiting: each.mailboxCount,
    openIntents: each.openIntents.map((hash) => hashOfBytes(hash)),
    lastEvent: each.lastEventSeq,
    version: each.moduleVersion,
  };
}

export type ShownState = ShownCell & {
  readonly state: JsonValue;
  /** Number of the record it is shown after, and the version that was active then. */
  readonly height: number;
  readonly manifestHash: string;
  /** The snapshot that it was read from, with what was recorded since; null = from the first on. */
  readonly snapshot: { readonly ref: string; readonly height: number } | null;
};

export async function shownState(opened: OpenedKernel, name: CellName): Promise<ShownState | null> {
  const instance = await found(opened, name);
  return instance === null ? null : stateOf(opened, instance);
}

function found({ kernel, driver }: OpenedKernel, name: CellName) {
  return driver.drive(kernel, findInstance(kernel, name));
}

function stateOf({ kernel, last }: OpenedKernel, instance: Found): ShownState {
  const { seq: height, set } = kernel;
  const snapshot = last && { ref: last.hash, height: last.seq };
  const place = { height, manifestHash: set.manifestHash, snapshot };
  return { ...shownCell(instance), ...place, state: shownValue(kernel, instance) };
}

function shownValue({ set }: Kernel, { machine, state }: Found): JsonValue {
  if (state === null) return null;
  const compiled = set.machines.get(machine)?.state;
  if (compiled === undefined) return plainValue(decodeCanonical(state));
  return plainValue(guestValue(compiled.schema, compiled.decode(state), set.names));
}

type CellAt = CellName & {
  /** Number of the record it is to be shown after; null = the last one. */
  readonly at?: number | null;
};

/** Null = there is no such cell. `key` are canonical bytes. */
export async function showCell(
  parts: ShowParts,
  { at = null, ...name }: CellAt,
): Promise<ShownState | null> {
  return shownState(await openedAt(parts, at), name);
}

function openedAt(parts: ShowParts, at: number | null): Promise<OpenedKernel> {
  return at === null ? openKernel(parts) : openKernelAt(parts, at);
}

export type ShownInstance = ShownState & {
  /** What it failed on: a step, whose event is the first in the mailbox, or a receipt. */
  readonly failed: "step" | "receipt" | null;
  /** The first of what waits for it. */
  readonly mailbox: readonly ShownMail[];
  /** What the step would do with the first of them, if it were called now; null = not asked. */
  readonly again: ShownAgain | null;
  readonly diagnosis: Diagnosis;
};

export type ShownMail = {
  readonly value: JsonValue;
  readonly at: Instant;
  /** Number of the record that brought it. */
  readonly seq: number;
  /** Whose continuation it is; null = an event. */
  readonly intentId: string | null;
};

export function shownMail({ value, stamp, intentId }: Mail): ShownMail {
  const at = Number(stamp.nowNs / nsPerMs);
  return { value: shownKey(value), at, seq: stamp.height, intentId };
}

type Mail = Found["mailbox"][number];

export type ShownAgain = {
  readonly kind: "output" | "fault" | "killed";
  readonly code: string | null;
  readonly note: string;
};

/** The cell with what waits for it, and why it is as it is. */
export async function showInstance(
  parts: ShowParts,
  { at = null, ...name }: CellAt,
): Promise<ShownInstance | null> {
  const read = (opened: OpenedKernel) => shownInstance(parts, opened, name);
  return at === null ? readKernel(parts, read) : read(await openKernelAt(parts, at));
}

async function shownInstance(
  parts: ShowParts,
  opened: OpenedKernel,
  name: CellName,
): Promise<ShownInstance | null> {
  const instance = await found(opened, name);
  if (instance === null) return null;
  return {
    ...stateOf(opened, instance),
    failed: instance.failed,
    mailbox: instance.mailbox.map(shownMail),
    again: instance.failed === "step" ? await triedAgain(opened, instance) : null,
    diagnosis: diagnose(await lastTroubles(parts, instance), ...waitsOf(opened, instance)),
  };
}

const nsPerMs = 1_000_000n;

/** A step has no way out, and whatever it answers is forgotten. */
async function triedAgain(
  { kernel, versions }: OpenedKernel,
  { id, state }: Found,
): Promise<ShownAgain | null> {
  const call = foreseeCall(kernel, id, { at: 0, state });
  if (call === null) return null;
  const [[first] = []] = await versions.of(kernel.set.manifestHash).run([[call]]);
  if (first === undefined) return null;
  const { answer } = first;
  if (answer.kind === "output") return { kind: "output", code: null, note: "" };
  if (answer.kind === "killed") return { kind: "killed", code: null, note: answer.reason };
  return { kind: "fault", code: answer.code, note: answer.note };
}

type Waits = Pick<TraceWaits, "intents" | "instances">;

function waitsOf({ kernel }: OpenedKernel, instance: Found): [Waits, TraceState] {
  const { id: cell, status } = instance;
  const own = openWork(kernel).filter(({ cellId }) => cellId === cell);
  const intents = own.map(({ id: intentId, effect, emittedAtSeq }) => {
    return { intentId, effect, cell, age: kernel.seq - emittedAtSeq };
  });
  const waits = { intents, instances: [{ cell, status }] };
  switch (status) {
    case "failed":
    case "completed":
      return [waits, status];
    case "waiting":
      return [waits, "waiting_receipt"];
    case "running":
      return [waits, "waiting_event"];
  }
}
