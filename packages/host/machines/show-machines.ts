import {
  type CanonicalValue,
  decodeCanonical,
  hashText,
  type MachineFrameRow,
  type Store,
} from "@holdfast/core";
import {
  guestValue,
  hashOfBytes,
  type InstanceView,
  instancesOf,
  type Kernel,
  type OpenIntent,
  openWork,
  takeSnapshot,
} from "@holdfast/core/machine";
import { bytesOf } from "../engine/values.ts";
import type { JsonValue } from "../queries/answers.ts";
import { plainValue } from "../queries/plain-value.ts";
import { decodeFrameBody } from "./frame-body.ts";
import { type KernelParts, MachinesDiverge, openKernel, replayAll } from "./open-kernel.ts";

type ShowParts = KernelParts & { readonly store: Store };

export type ShownCell = {
  /** `<machine>::<key in hexadecimal digits>`. */
  readonly cell: string;
  readonly machine: string;
  readonly key: JsonValue;
  readonly status: InstanceView["status"];
  readonly stateBytes: number;
  readonly waiting: number;
  readonly openIntents: readonly string[];
  readonly lastEvent: number;
  readonly version: string;
};

/** Every cell there is, by its name. */
export async function listCells(parts: ShowParts): Promise<readonly ShownCell[]> {
  const { kernel } = await openKernel(parts);
  return instancesOf(kernel).map(shownCell);
}

function shownCell(each: InstanceView): ShownCell {
  return {
    cell: each.id,
    machine: each.machine,
    key: shownKey(each.key),
    status: each.status,
    stateBytes: each.state?.length ?? 0,
    waiting: each.mailboxCount,
    openIntents: each.openIntents.map((hash) => hashOfBytes(hash)),
    lastEvent: each.lastEventSeq,
    version: each.moduleVersion,
  };
}

export type ShownState = ShownCell & { readonly state: JsonValue };

/** Null = there is no such cell. `key` are canonical bytes. */
export async function showCell(
  parts: ShowParts,
  { machine, key }: { readonly machine: string; readonly key: Uint8Array | null },
): Promise<ShownState | null> {
  const { kernel } = await openKernel(parts);
  const found = instancesOf(kernel).find(
    (each) => each.machine === machine && sameBytes(each.key, key),
  );
  return found === undefined ? null : { ...shownCell(found), state: stateOf(kernel, found) };
}

function stateOf({ set }: Kernel, { machine, state }: InstanceView): JsonValue {
  if (state === null) return null;
  const compiled = set.machines.get(machine)?.state;
  const value = decodeCanonical(state);
  if (compiled === undefined) return plainValue(value);
  return plainValue(guestValue(compiled.schema, compiled.decode(state), set.names));
}

export type ShownIntent = {
  readonly intentId: string;
  readonly machine: string;
  readonly key: JsonValue;
  readonly effect: string;
  readonly kind: OpenIntent["kind"];
  readonly params: JsonValue;
  /** Number of the record whose event asked for it. */
  readonly since: number;
  /** Of its call in the ledger; null = it has none there. */
  readonly mutationId: string | null;
  readonly state: string | null;
};

/** What machines wait for, oldest first. */
export async function listIntents(parts: ShowParts): Promise<readonly ShownIntent[]> {
  const { store, workflow } = parts;
  const { kernel } = await openKernel(parts);
  const { rows } = await store.load(workflow, [{ kind: "base" }]);
  const runs = rows.flatMap((each) => (each.table === "runs" ? [each.row] : []));
  const calls = rows.flatMap((each) => (each.table === "mutations" ? [each.row] : []));
  return openWork(kernel).map((intent) => {
    const run = runs.find(({ itemId }) => itemId === intent.id);
    const call = calls.find(({ mutationId }) => mutationId === run?.mutationId);
    return {
      intentId: intent.id,
      machine: intent.machine,
      key: shownKey(intent.key),
      effect: intent.effect,
      kind: intent.kind,
      params: plainValue(decodeCanonical(intent.params)),
      since: intent.emittedAtSeq,
      mutationId: call?.mutationId ?? null,
      state: call?.state ?? null,
    };
  });
}

export type ShownRecords = {
  readonly items: readonly { readonly seq: number; readonly record: JsonValue }[];
  readonly next: number | null;
};

/** What the kernel has recorded, in order, from after a number on. */
export async function listRecords(
  { store, workflow }: Pick<ShowParts, "store" | "workflow">,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<ShownRecords> {
  const items: { seq: number; record: JsonValue }[] = [];
  for (const frame of await framesAfter(store, workflow, after)) {
    const { records } = decodeFrameBody(await bytesOf(store, workflow, frame.body));
    for (const [at, bytes] of records.entries()) {
      const seq = frame.firstSeq + at;
      if (seq <= after) continue;
      if (items.length === limit) return { items, next: items.at(-1)?.seq ?? null };
      items.push({ seq, record: plainValue(decodeCanonical(bytes)) });
    }
  }
  return { items, next: null };
}

/** In order. The list gives the newest first, down to the one that holds the number. */
async function framesAfter(
  store: Store,
  workflow: string,
  after: number,
): Promise<readonly MachineFrameRow[]> {
  const found: MachineFrameRow[] = [];
  let place: readonly number[] | null = null;
  for (;;) {
    const query = { workflow, list: "machineFrames", of: [], after: place, downTo: null } as const;
    const rows: readonly MachineFrameRow[] = await store.listRows({ ...query, limit: 100 });
    found.unshift(...rows.filter(({ lastSeq }) => lastSeq > after).toReversed());
    const last = rows.at(-1);
    if (last === undefined || last.firstSeq <= after + 1) return found;
    place = [last.firstSeq];
  }
}

export type ShownReplay =
  | {
      readonly ok: true;
      readonly records: number;
      /** Of the whole kernel at its end: the same in every process. */
      readonly image: string;
    }
  | { readonly ok: false; readonly code: string; readonly seq: number };

/** Runs the whole journal again and compares every record, and the last snapshot. */
export async function replayMachines(parts: ShowParts): Promise<ShownReplay> {
  try {
    const { kernel } = await replayAll(parts);
    return { ok: true, records: kernel.seq, image: hashText(takeSnapshot(kernel)) };
  } catch (error) {
    if (!(error instanceof MachinesDiverge)) throw error;
    const { code, seq } = error.divergence;
    return { ok: false, code, seq };
  }
}

function shownKey(key: Uint8Array | null): JsonValue {
  return key === null ? null : plainValue(decodeCanonical(key) as CanonicalValue);
}

function sameBytes(left: Uint8Array | null, right: Uint8Array | null): boolean {
  if (left === null || right === null) return left === right;
  return Buffer.compare(left, right) === 0;
}
