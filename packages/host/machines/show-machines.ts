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
import { type KernelParts, MachinesDiverge, openKernel, replayAll } from "./open-kernel.ts";
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

function shownCell(each: InstanceView): ShownCell {
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

export type ShownState = ShownCell & { readonly state: JsonValue };

/** Null = there is no such cell. `key` are canonical bytes. */
export async function showCell(
  parts: ShowParts,
  name: { readonly machine: string; readonly key: Uint8Array | null },
): Promise<ShownState | null> {
  const { kernel, driver } = await openKernel(parts);
  const found = await driver.drive(kernel, findInstance(kernel, name));
  if (found === null) return null;
  return { ...shownCell(found), state: stateOf(kernel, name.machine, found.state) };
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
