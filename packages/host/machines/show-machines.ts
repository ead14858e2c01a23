import { decodeCanonical, hashText, type Store } from "@holdfast/core";
import {
  findInstance,
  guestValue,
  hashOfBytes,
  type InstanceView,
  instancesOf,
  type Kernel,
  type OpenIntent,
  openWork,
  StateFault,
  takeSnapshot,
} from "@holdfast/core/machine";
import type { JsonValue } from "../queries/answers.ts";
import { plainValue } from "../queries/plain-value.ts";
import { MachinesDiverge } from "./machines-diverge.ts";
import {
  type KernelParts,
  type OpenedKernel,
  openKernel,
  openKernelAt,
  replayAll,
} from "./open-kernel.ts";
import { shownKey } from "./show-records.ts";

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
  const { kernel, driver } = await openKernel(parts);
  const instances = await driver.drive(kernel, instancesOf(kernel));
  return instances.map(shownCell);
}

export function shownCell(each: InstanceView): ShownCell {
  return {
    cell: each.id,
    machine: each.machine,
    key: shownKey(each.key),
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
};

type CellName = { readonly machine: string; readonly key: Uint8Array | null };

/** The same with what each is; for few of them. */
export async function listStates(parts: ShowParts): Promise<readonly ShownState[]> {
  const opened = await openKernel(parts);
  const { kernel, driver } = opened;
  const shown: ShownState[] = [];
  for (const { machine, key } of await driver.drive(kernel, instancesOf(kernel))) {
    const state = await shownState(opened, { machine, key });
    if (state !== null) shown.push(state);
  }
  return shown;
}

async function shownState(
  { kernel, driver }: OpenedKernel,
  name: CellName,
): Promise<ShownState | null> {
  const found = await driver.drive(kernel, findInstance(kernel, name));
  if (found === null) return null;
  const { seq: height, set } = kernel;
  const place = { height, manifestHash: set.manifestHash };
  return { ...shownCell(found), ...place, state: stateOf(kernel, name.machine, found.state) };
}

/** Null = there is no such cell. `key` are canonical bytes. */
export async function showCell(
  parts: ShowParts,
  {
    at = null,
    ...name
  }: CellName & {
    /** Number of the record it is to be shown after; null = the last one. */
    readonly at?: number | null;
  },
): Promise<ShownState | null> {
  const opened = at === null ? await openKernel(parts) : await openKernelAt(parts, at);
  return shownState(opened, name);
}

function stateOf({ set }: Kernel, machine: string, state: Uint8Array | null): JsonValue {
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
    const own = runs.find(({ itemId }) => itemId === intent.id);
    // One that asked for a key that is taken waits for that call.
    const run = runs.find(({ runId }) => runId === own?.rootRunId);
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
    const { kernel, driver } = await replayAll(parts);
    const { bytes } = await driver.drive(kernel, takeSnapshot(kernel));
    return { ok: true, records: kernel.seq, image: hashText(bytes) };
  } catch (error) {
    if (error instanceof StateFault) return { ok: false, code: error.code, seq: 0 };
    if (!(error instanceof MachinesDiverge)) throw error;
    const { code, seq } = error.divergence;
    return { ok: false, code, seq };
  }
}
