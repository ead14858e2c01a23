/** For who tries one step: a kernel that nobody keeps, as if it had come to where it is wanted. */
import { invariant } from "../ports/invariant.ts";
import { canonicalize } from "./canonicalize.ts";
import type { OpenIntent } from "./intent.ts";
import { intentOf } from "./judge-output.ts";
import type { Kernel } from "./kernel.ts";
import type { Sample } from "./stamp.ts";
import { keepState } from "./state/resident-cells.ts";

export type PlacedCell = {
  readonly machine: string;
  readonly key: Uint8Array | null; // null = the machine has one cell
  readonly state: Uint8Array | null; // null = it has none yet
};

/** Null, or why the state is none of the machine's. */
export function placeCell(kernel: Kernel, { machine, key, state }: PlacedCell): string | null {
  const known = kernel.set.machines.get(machine);
  invariant(known !== undefined, "a cell is placed in a machine of the set");
  const kept = state === null ? null : canonicalize(known.state, state);
  if (kept !== null && !kept.ok) return kept.note;
  keepState(kernel, kernel.cellFor(machine, key), kept?.bytes ?? null);
  return null;
}

export type PlacedIntent = {
  readonly machine: string;
  readonly key: Uint8Array | null;
  readonly effect: string;
  readonly params: Uint8Array;
  readonly issuerRef: string | null;
};

/** An effect that the cell has asked for, by its last record; null = the machine may not. */
export function placeIntent(
  kernel: Kernel,
  { machine: name, key, effect: wanted, params, issuerRef }: PlacedIntent,
  sample: Sample,
): OpenIntent | null {
  const machine = kernel.set.machines.get(name);
  const effect = kernel.set.effects.get(wanted);
  if (machine === undefined || effect === undefined || !machine.effects.has(wanted)) return null;
  const cell = kernel.cellFor(name, key);
  const stamp = { ...kernel.stampNext(sample), height: kernel.seq };
  const mail = { value: params, stamp, depth: 0, intentId: null, root: null };
  const asked = { params, issuerRef, requestedKey: null, deadlineNs: null, effectIndex: 0 };
  const intent = intentOf({ machine, cell, mail }, effect, asked);
  kernel.openIntent(intent, cell);
  return intent;
}
